import { useEffect, useRef, type ReactNode } from "react";

interface Props {
  title: string;
  children: ReactNode;
  onClose: () => void;
}

/** A modal window: the browser keeps the focus inside and gives it back. */
export function Dialog({ title, children, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  words: string;
  yes: string;
  onYes: () => void;
  onClose: () => void;
}

export function Confirm({ title, words, yes, onYes, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{words}</p>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose} autoFocus>
          Keep it
        </button>
        <button type="button" className="button danger" onClick={onYes}>
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
