// Mantine's components as links to pages, with the types of the router.
import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type Of<Props> = Props & Omit<ComponentProps<'a'>, keyof Props>;

export const AnchorLink = createLink((props: Of<AnchorProps>) => <Anchor {...props} />);
export const ButtonLink = createLink((props: Of<ButtonProps>) => (
  <Button component="a" {...props} />
));
export const NavItem = createLink((props: Of<NavLinkProps>) => <NavLink {...props} />);
export const MenuLink = createLink((props: Of<MenuItemProps>) => (
  <Menu.Item component="a" {...props} />
));
