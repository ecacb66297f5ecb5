import { useMutation } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../ui/dialog/dialog-form.tsx'
import { saveFile } from '../../ui/download.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ErrorSummary, focusFirst } from '../../ui/fields/error-summary.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'

type Errors = { name?: string; password?: string }

/** Asks for a name and the password, and then shows the key, once. */
export function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }): ReactNode {
  const [key, setKey] = useState<string | null>(null)
  return (
    <Dialog
      title={key === null ? 'New API key' : 'Your new API key'}
      isOpen
      onClose={onClose}
      holdsWhatIsLost={key !== null}
    >
      {key === null ? (
        <NewKeyForm
          onClose={onClose}
          onMade={(made) => {
            setKey(made)
            onMade()
          }}
        />
      ) : (
        <ShownKey apiKey={key} onClose={onClose} />
      )}
    </Dialog>
  )
}

function NewKeyForm({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => void }): ReactNode {
  const [given, setGiven] = useState({ name: '', password: '' })
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /users/me/api_keys', given),
    onSuccess: ({ api_key }) => onMade(api_key),
    onError: (failure) => {
      const { message } = toTrouble(failure)
      if (message === 'Wrong password!') complain({ password: message })
    },
  })

  function complain(found: Errors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found: Errors = {
      ...(given.name.trim() === '' && { name: 'Say what it is for, to know it again.' }),
      ...(given.password === '' && { password: 'Type your password.' }),
    }
    complain(found)
    if (Object.keys(found).length === 0) mutate()
  }

  return (
    <DialogForm ref={form} action="Make the key" isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && errors.password === undefined && <ErrorNotice trouble={toTrouble(error)} />}
      <ErrorSummary errors={errors} />
      <TextField
        label="What is it for?"
        name="name"
        placeholder="My laptop's terminal"
        maxLength={30}
        value={given.name}
        error={errors.name ?? null}
        onChange={(name) => setGiven({ ...given, name })}
      />
      <TextField
        label="Your password"
        name="password"
        type="password"
        autoComplete="current-password"
        value={given.password}
        error={errors.password ?? null}
        description="Whoever has a key can do what you can, so we ask once more that it is you."
        onChange={(password) => {
          setGiven({ ...given, password })
          setErrors(({ password: _, ...others }) => others)
        }}
      />
    </DialogForm>
  )
}

function ShownKey({ apiKey, onClose }: { apiKey: string; onClose: () => void }): ReactNode {
  const { delivery_email, realm_url } = useOrganization()
  const zuliprc = `[api]\nemail=${delivery_email}\nkey=${apiKey}\nsite=${realm_url}\n`
  return (
    <>
      <div className="dialog-body">
        <Notice kind="warn" title="This is the only time that you see it">
          <p>Copy it now, or download the file that most programs read.</p>
        </Notice>
        <code className="key-shown">{apiKey}</code>
        <div className="row">
          <CopyButton text={apiKey} autoFocus>
            Copy the key
          </CopyButton>
          <Button
            icon={<Download className="icon" aria-hidden="true" />}
            onPress={() => saveFile('zuliprc', zuliprc, 'text/plain')}
          >
            Download zuliprc
          </Button>
        </div>
      </div>
      <DialogActions>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
