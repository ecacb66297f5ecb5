import { useMutation } from '@tanstack/react-query'
import ImageUp from 'lucide-react/icons/image-up'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { Avatar } from '../../ui/people/avatar.tsx'
import { NewPictureDialog } from './new-picture-dialog.tsx'
import './own-picture.css'
import { t } from '../../text/t.ts'

/** The user's picture, which they can change or remove if the organization allows it; `children` are next to it. */
export function OwnPicture({ name, children }: { name: string; children: ReactNode }): ReactNode {
  const { user_id, avatar_url_medium: url, realm_avatar_changes_disabled, is_admin } = useOrganization()
  const [chosen, setChosen] = useState<File | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const section = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const isFixed = realm_avatar_changes_disabled && !is_admin
  const hasOne = url?.startsWith('/user_avatars/') === true

  function takeDropped(event: DragEvent) {
    const [file] = event.dataTransfer.files
    if (isFixed || file === undefined) return
    event.preventDefault()
    setChosen(file)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does what dropping does
    <div
      ref={section}
      className="own-picture"
      data-setting="avatar"
      onDrop={takeDropped}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
    >
      <Avatar id={user_id} name={name} url={url} />
      <div className="own-picture-text">
        <div className="row">{children}</div>
        {isFixed ? (
          <p className="soft small">{t('Only administrators can change profile pictures.')}</p>
        ) : (
          <div className="row">
            <input
              ref={input}
              type="file"
              accept="image/png,image/jpeg,image/gif,image/webp"
              hidden
              onChange={({ currentTarget }) => {
                setChosen(currentTarget.files?.[0] ?? null)
                currentTarget.value = ''
              }}
            />
            <Button icon={<ImageUp className="icon" aria-hidden="true" />} onPress={() => input.current?.click()}>
              {hasOne ? t('Change picture') : t('Add picture')}
            </Button>
            {hasOne && (
              <Button kind="quiet" onPress={() => setRemoving(true)}>
                {t('Remove')}
              </Button>
            )}
          </div>
        )}
      </div>
      {chosen !== null && <NewPictureDialog file={chosen} onClose={() => setChosen(null)} />}
      {isRemoving && (
        <RemoveDialog
          onClose={() => {
            setRemoving(false)
            // The button that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.querySelector('button')?.focus())
          }}
        />
      )}
    </div>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /users/me/avatar'),
    onSuccess() {
      showToast(t('Profile picture removed'))
      onClose()
    },
  })
  return (
    <Dialog title={t('Remove your profile picture?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t remove the picture')} error={toAppError(error)} />}
        <p>{t('The picture is deleted, and your initial is shown instead.')}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Remove')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
