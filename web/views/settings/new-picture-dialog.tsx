import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { upload } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Notice } from '../../ui/feedback/notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { useFileAddress } from '../../ui/files/file-address.ts'

/** Previews a picture, and uploads it after confirmation. */
export function NewPictureDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
  const { max_avatar_file_size_mib: max } = useOrganization()
  const [isUnreadable, setUnreadable] = useState(false)
  const address = useFileAddress(file)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => upload('POST /users/me/avatar', file),
    onSuccess() {
      showToast(t('Profile picture updated'))
      onClose()
    },
  })
  const problem = isUnreadable
    ? t('{name} isn’t a supported image. Choose a PNG, JPEG, GIF or WebP file.', { name: file.name })
    : file.size > max * 2 ** 20
      ? t('{name} is larger than {max} MiB. Choose a smaller image.', { name: file.name, max })
      : null
  return (
    <Dialog title={t('New profile picture')} isOpen onClose={onClose}>
      <div className="dialog-body stack">
        {error !== null && <ErrorNotice title={t('Couldn’t upload the picture')} error={toAppError(error)} />}
        {problem === null ? (
          <>
            <img className="own-picture-preview" src={address} alt={t('Preview')} onError={() => setUnreadable(true)} />
            <p className="soft">{t('The center of the image is shown next to your messages.')}</p>
          </>
        ) : (
          <Notice kind="danger" isUrgent>
            {problem}
          </Notice>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        {problem === null && (
          <Button kind="primary" isPending={isPending} onPress={() => mutate()}>
            {t('Use picture')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
