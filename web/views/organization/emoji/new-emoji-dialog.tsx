import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { upload } from '../../../api/call.ts'
import { toTrouble } from '../../../store/trouble.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { useFileAddress } from '../../../ui/file-address.ts'
import { Notice } from '../../../ui/notice.tsx'
import { toast } from '../../../ui/toast.ts'
import { toEmojiName } from './emoji-name.ts'

/** Shows a picture as an emoji, and adds it under the name that it is given. */
export function NewEmojiDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
  const [name, setName] = useState(() => toEmojiName(file.name))
  const [problem, setProblem] = useState<string | null>(null)
  const [isUnreadable, setUnreadable] = useState(false)
  const address = useFileAddress(file)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => upload('POST /realm/emoji/{emoji_name}', file, { params: { emoji_name: name.trim() } }),
    onSuccess() {
      toast(`:${name.trim().replaceAll(' ', '_')}: is added`)
      onClose()
    },
  })

  function submit() {
    if (isUnreadable) return
    if (name.trim() === '') setProblem('Give it a name.')
    else mutate()
  }

  return (
    <Dialog title="Add an emoji" isOpen onClose={onClose}>
      <DialogForm action="Add it" isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {isUnreadable ? (
          <Notice kind="danger" isUrgent>
            {file.name} is no picture that can be shown here. Choose a PNG, JPEG, GIF or WebP file.
          </Notice>
        ) : (
          <p className="new-emoji-preview">
            <img src={address} alt="The new emoji, large" onError={() => setUnreadable(true)} />
            <span>
              Good morning <img src={address} alt="" /> everybody
            </span>
          </p>
        )}
        <TextField
          label="Name"
          autoComplete="off"
          spellCheck="false"
          maxLength={100}
          value={name}
          description="It is written between colons: small letters, digits, dashes, underscores and periods."
          error={problem ?? (error === null ? null : toTrouble(error).message)}
          onChange={(value) => {
            setName(value.toLowerCase())
            setProblem(null)
            reset()
          }}
        />
      </DialogForm>
    </Dialog>
  )
}
