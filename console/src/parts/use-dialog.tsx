import { Fragment, type ReactNode, useId, useRef, useState } from 'react';

export interface DialogState {
  opened: boolean;
  onClose: () => void;
}

interface Dialog<Subject> {
  open: (subject: Subject) => void;
  /** Renders the dialog for its subject, remounted each time it opens. */
  of: (render: (subject: Subject, state: DialogState) => ReactNode) => ReactNode;
}

/** A dialog about one of several subjects, such as a row. It keeps showing the subject while it closes. */
export function useDialog<Subject = true>(): Dialog<Subject> {
  const [state, setState] = useState<{ subject: Subject; turn: number; opened: boolean }>();
  const opener = useRef<HTMLElement | null>(null);
  const latestTurn = useRef(0);
  // Several dialogs are siblings.
  const id = useId();
  return {
    open: (subject) => {
      opener.current = focusedOpener();
      latestTurn.current += 1;
      setState({ subject, turn: latestTurn.current, opened: true });
    },
    of: (render) => {
      if (state === undefined) return null;
      const onClose = (): void => {
        // A late response closes its own dialog, not one that was opened since.
        if (latestTurn.current !== state.turn) return;
        setState({ ...state, opened: false });
        // After the dialog has released the focus.
        setTimeout(() => opener.current?.focus(), 0);
      };
      const { subject, turn, opened } = state;
      return <Fragment key={`${id}${turn}`}>{render(subject, { opened, onClose })}</Fragment>;
    },
  };
}

/** Where the focus returns to. A menu item is gone by then, but its button is not. */
function focusedOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const menu = focused?.closest('[role="menu"]');
  const button = menu?.getAttribute('aria-labelledby');
  if (button !== null && button !== undefined) return document.getElementById(button);
  return focused instanceof HTMLElement ? focused : null;
}
