import { Button } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { exact } from '../parts/time.tsx';

export interface ShownSecret {
  value: string;
  /** Time from which it signs; null: from now on. */
  activatesAt: string | null;
}

/** Shows a signing secret. It is kept in memory only while the dialog is open. */
export const SecretDialog = ({ secret, onClose }: { secret: ShownSecret; onClose: () => void }) => (
  <Dialog
    title="Signing secret"
    onClose={onClose}
    footer={
      <Button kind="primary" onClick={onClose}>
        I've saved it
      </Button>
    }
  >
    <p>Save it where your receiver reads it. We show it only now.</p>
    <p>
      <Code value={secret.value} of="the signing secret" />
    </p>
    {secret.activatesAt !== null && (
      <p class="muted">It signs from {exact(secret.activatesAt)} on. Accept both secrets until then.</p>
    )}
  </Dialog>
);
