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

/** Shows a picture as others would see it, and uploads it once that is wanted. */
export function NewPictureDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
  const { max_avatar_file_size_mib: most } = useOrganization()
  const [isUnreadable, setUnreadable] = useState(false)
  const address = useFileAddress(file)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => upload('POST /users/me/avatar', file),
    onSuccess() {
      showToast(t('Your picture is changed'))
      onClose()
    },
  })
  const problem = isUnreadable
    ? t('{name} is no picture that can be shown here. Choose a PNG, JPEG, GIF or WebP file.', { name: file.name })
    : file.size > most * 2 ** 20
      ? t('{name} is larger than {most} MiB. Choose a smaller picture.', { name: file.name, most })
      : null
  return (
    <Dialog title={t('Your new picture')} isOpen onClose={onClose}>
      <div className="dialog-body stack">
        {error !== null && <ErrorNotice title={t('It was not uploaded')} trouble={toAppError(error)} />}
        {problem === null ? (
          <>
            <img
              className="own-picture-preview"
              src={address}
              alt={t('As others will see it')}
              onError={() => setUnreadable(true)}
            />
            <p className="soft">{t('Others see its middle, beside everything that you write.')}</p>
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
            {t('Use it')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
