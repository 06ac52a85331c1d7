import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** A modal dialog. Escape and the cross close it. The browser keeps the focus inside and returns it afterwards. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the bottom. */
  footer?: ComponentChildren;
  wide?: boolean;
}) {
  const { title, onClose, children, footer, wide } = props;
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="button plain" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}
