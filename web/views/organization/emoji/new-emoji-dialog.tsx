import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { upload } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { TextField } from '../../../ui/fields/field.tsx'
import { useFileAddress } from '../../../ui/files/file-address.ts'
import { toEmojiName } from './emoji-name.ts'

/** The most that the server takes, in MiB. */
const MAX_COUNT = 5

/** Shows a picture as an emoji, and adds it under the name that it is given. */
export function NewEmojiDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
  const [name, setName] = useState(() => toEmojiName(file.name))
  const [problem, setProblem] = useState<string | null>(null)
  const [isUnreadable, setUnreadable] = useState(false)
  const address = useFileAddress(file)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => upload('POST /realm/emoji/{emoji_name}', file, { params: { emoji_name: name.trim() } }),
    onSuccess() {
      showToast(`:${name.trim().replaceAll(' ', '_')}: is added`)
      onClose()
    },
  })

  const refusal = error === null ? null : toAppError(error)
  // The server tells of the file, of an image, or else of the name.
  const isAboutPicture = /\b(?:file|image)\b/i.test(refusal?.message ?? '')
  const unfit = isUnreadable
    ? `${file.name} is no picture that can be shown here. Choose a PNG, JPEG, GIF or WebP file.`
    : file.size > MAX_COUNT * 2 ** 20
      ? `${file.name} is larger than ${MAX_COUNT} MiB. Choose a smaller picture.`
      : null

  function submit() {
    if (unfit !== null) return
    if (name.trim() === '') setProblem('Give it a name.')
    else mutate()
  }

  return (
    <Dialog title="Add an emoji" isOpen onClose={onClose}>
      <DialogForm action="Add it" isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {refusal !== null && isAboutPicture && <ErrorNotice title="It was not added" trouble={refusal} />}
        {unfit !== null ? (
          <Notice kind="danger" isUrgent>
            {unfit}
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
          error={problem ?? (isAboutPicture ? null : (refusal?.message ?? null))}
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
