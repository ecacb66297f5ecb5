import { useMutation } from '@tanstack/react-query'
import ImageUp from 'lucide-react/icons/image-up'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Role } from '#rules/role.ts'
import { call, upload } from '../../api/call.ts'
import { AutosaveField } from '../../forms/autosave-field.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { type AnswerValue, applySavedAnswer } from '../../people/answer.ts'
import { AnswerField, FixedAnswer } from '../../people/answer-field.tsx'
import { toAppError } from '../../store/app-error.ts'
import { findOwnAccount, type ProfileField, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ComboField } from '../../ui/combo-field.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useFileAddress } from '../../ui/files.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './own-picture.module.css'

/** Previews a picture, and uploads it after confirmation. */
function NewPictureDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
  const { max_avatar_file_size_mib: max } = useOrganization('max_avatar_file_size_mib')
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
            <img
              className={css.ownPicturePreview}
              src={address}
              alt={t('Preview')}
              onError={() => setUnreadable(true)}
            />
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

/** The user's picture, which they can change or remove if the organization allows it; `children` are next to it. */
function OwnPicture({ name, children }: { name: string; children: ReactNode }): ReactNode {
  const {
    user_id,
    avatar_url_medium: url,
    realm_avatar_changes_disabled,
    is_admin,
  } = useOrganization('user_id', 'avatar_url_medium', 'realm_avatar_changes_disabled', 'is_admin')
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
      className={css.ownPicture}
      data-setting="avatar"
      onDrop={takeDropped}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
    >
      <Avatar id={user_id} name={name} url={url} />
      <div className={css.ownPictureText}>
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

/** The user's profile fields; nothing if the organization has none. */
function OwnProfileFields(): ReactNode {
  const organization = useOrganization()
  const { custom_profile_fields: fields, is_admin, user_id } = organization
  const answer = findOwnAccount(organization)?.profile_data ?? {}
  const missing = fields.filter((field) => field.required && field.editable_by_user && answer[field.id] === undefined)
  if (fields.length === 0) return null
  return (
    <section className={`${settingsCss.settingsGroup} ${settingsCss.settingsForm}`} aria-labelledby="own-answers">
      <h2 id="own-answers">{t('More about you')}</h2>
      {missing.length > 0 && (
        <Notice kind="warn" title={t('Fill in the required fields')}>
          <p>{missing.map(({ name }) => name).join(', ')}</p>
        </Notice>
      )}
      {fields.map((field) =>
        field.editable_by_user || is_admin ? (
          <AnswerField
            key={field.id}
            field={field}
            value={answer[field.id]}
            save={(value) => save(user_id, field, value)}
          />
        ) : (
          <FixedAnswer key={field.id} field={field} value={answer[field.id]} />
        ),
      )}
    </section>
  )
}

async function save(userId: number, field: ProfileField, value: AnswerValue): Promise<void> {
  await call('PATCH /users/me/profile_data', { data: [{ id: field.id, value }] })
  applySavedAnswer(userId, field, value)
}

const ZONES = Intl.supportedValuesOf('timeZone').map((id) => ({ id, label: id.replaceAll('_', ' ') }))

/** The user's picture, name and time zone. */
export function Profile(): ReactNode {
  const organization = useOrganization()
  const account = findOwnAccount(organization)
  const name = account?.full_name ?? organization.full_name
  const { is_admin, realm_name_changes_disabled } = organization
  const isNameFixed = realm_name_changes_disabled && !is_admin
  const { mutate: saveZone } = useMutation({
    mutationFn: (timezone: string) => call('PATCH /settings', { timezone }),
    onSuccess: () => showToast(t('Time zone saved')),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <>
      <section className={`${settingsCss.settingsGroup} ${settingsCss.settingsForm}`} aria-label={t('Profile')}>
        <OwnPicture name={name}>
          <b>{name}</b>
          <Badge kind="accent">{roleName(account?.role ?? Role.member)}</Badge>
        </OwnPicture>
        <AutosaveField
          id="full_name"
          label={t('Name')}
          value={name}
          autoComplete="name"
          description={
            isNameFixed ? t('Only administrators can change names.') : t('Your name appears next to your messages.')
          }
          isReadOnly={isNameFixed}
          check={(value) => (value.trim() === '' ? t('Enter a name.') : null)}
          save={(full_name) => call('PATCH /settings', { full_name: full_name.trim() })}
        />
        <div data-setting="timezone">
          <ComboField
            label={t('Time zone')}
            value={account?.timezone || null}
            onChoose={saveZone}
            options={ZONES}
            placeholder={t('Find a city')}
            description={t('Lets others see your local time.')}
          />
        </div>
      </section>
      <OwnProfileFields />
    </>
  )
}
