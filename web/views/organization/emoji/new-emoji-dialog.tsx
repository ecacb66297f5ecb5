import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { upload } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { rich } from '../../../text/rich.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { TextField } from '../../../ui/fields/field.tsx'
import { useFileAddress } from '../../../ui/files/file-address.ts'
import { toEmojiName } from './emoji-name.ts'

/** The server's maximum file size, in MiB. */
const MAX_MEBIBYTES = 5

/** Previews an image as an emoji, and adds it with a name. */
export function NewEmojiDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
  const [name, setName] = useState(() => toEmojiName(file.name))
  const [problem, setProblem] = useState<string | null>(null)
  const [isUnreadable, setUnreadable] = useState(false)
  const address = useFileAddress(file)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => upload('POST /realm/emoji/{emoji_name}', file, { params: { emoji_name: name.trim() } }),
    onSuccess() {
      showToast(t(':{name}: added', { name: name.trim().replaceAll(' ', '_') }))
      onClose()
    },
  })

  const refusal = error === null ? null : toAppError(error)
  const isAboutName = error instanceof ApiError && error.field === 'emoji_name'
  const unfit = isUnreadable
    ? t('{name} isn’t a supported image. Choose a PNG, JPEG, GIF or WebP file.', { name: file.name })
    : file.size > MAX_MEBIBYTES * 2 ** 20
      ? t('{name} is larger than {max} MiB. Choose a smaller image.', { name: file.name, max: MAX_MEBIBYTES })
      : null

  function submit() {
    if (unfit !== null) return
    if (name.trim() === '') setProblem(t('Enter a name.'))
    else mutate()
  }

  return (
    <Dialog title={t('Add emoji')} isOpen onClose={onClose}>
      <DialogForm action={t('Add emoji')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {refusal !== null && !isAboutName && <ErrorNotice title={t('Couldn’t add the emoji')} error={refusal} />}
        {unfit !== null ? (
          <Notice kind="danger" isUrgent>
            {unfit}
          </Notice>
        ) : (
          <p className="new-emoji-preview">
            <img src={address} alt={t('Emoji preview, large')} onError={() => setUnreadable(true)} />
            <span>{rich('Good morning {img} everyone', { img: <img src={address} alt="" /> })}</span>
          </p>
        )}
        <TextField
          label={t('Name')}
          autoComplete="off"
          spellCheck="false"
          maxLength={100}
          value={name}
          description={t('Lowercase letters, digits, dashes, underscores and periods.')}
          error={problem ?? (isAboutName ? error.message : null)}
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
