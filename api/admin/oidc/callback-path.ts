/** Where the identity provider sends the browser back to. */
export const callbackPath = '/admin/api/oidc/callback';
