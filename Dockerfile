# The image of the service. It runs the api; the worker and the setup step are other commands of it
# (see docker-compose.yml).

# Debian, not Alpine: Temporal's native module needs glibc.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY packages/cli/package.json packages/cli/
COPY packages/client-ts/package.json packages/client-ts/
COPY packages/embed/package.json packages/embed/
COPY packages/receiver-ts/package.json packages/receiver-ts/
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY activities activities
COPY api api
COPY cli cli
COPY console console
COPY deploy/third-party-notices.mjs deploy/
COPY docs/*.md docs/openapi.json docs/
COPY docs/reference docs/reference
COPY lib lib
COPY packages/client-ts packages/client-ts
COPY worker worker
COPY workflows workflows
RUN npm run build

FROM node:24-trixie-slim AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without workspaces: they are links to folders that the image does not have.
RUN npm ci --omit=dev --workspaces=false \
  && npm sbom --omit=dev --workspaces=false --package-lock-only --sbom-format=cyclonedx > sbom.cdx.json
# Files for other platforms and for developers are more than half of the modules.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && rm -r node_modules/@temporalio/core-bridge/sdk-core \
  && find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.?ts' \) -delete

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="agent-herald" \
  org.opencontainers.image.description="Embedded-agent authentication and durable webhooks" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="LicenseRef-Proprietary"
# Temporal's native module checks TLS certificates against the system's list, not Node's own.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# A delivery makes much short-lived garbage; a larger nursery keeps most of it from being copied.
ENV NODE_ENV=production \
  NODE_OPTIONS=--max-semi-space-size=64 \
  PORT=3000 \
  HERALD_WORKFLOW_BUNDLE=/app/dist/workflow-bundle.js
COPY --from=modules /app/sbom.cdx.json ./
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
USER node
EXPOSE 3000
# Of the api: give the worker --no-healthcheck, or one on its HERALD_METRICS_PORT.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Run it with --init: as process 1 it would not end on SIGTERM until it is up.
CMD ["node", "--enable-source-maps", "dist/api/main.js"]
