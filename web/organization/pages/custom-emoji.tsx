import { useMutation } from '@tanstack/react-query'
import ImageUp from 'lucide-react/icons/image-up'
import Smile from 'lucide-react/icons/smile'
import { type ReactNode, useRef, useState } from 'react'
import { MAX_LENGTH, MAX_PICTURE_MEBIBYTES } from '#rules/shared-limits.ts'
import { ApiError } from '../../api/api-error.ts'
import { call, upload } from '../../api/call.ts'
import { toEmojiName } from '../../emoji/emoji-choices.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { isInSetting } from '../../store/membership.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { usePeople } from '../../store/people.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { useFileAddress } from '../../ui/files.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './custom-emoji.module.css'
import { ConfirmRemovalDialog } from './editable-list.tsx'

/** Previews an image as an emoji, and adds it with a name. */
function NewEmojiDialog({ file, onClose }: { file: File; onClose: () => void }): ReactNode {
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
    : file.size > MAX_PICTURE_MEBIBYTES * 2 ** 20
      ? t('{name} is larger than {max} MiB. Choose a smaller image.', { name: file.name, max: MAX_PICTURE_MEBIBYTES })
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
          <p className={css.newEmojiPreview}>
            <img src={address} alt={t('Emoji preview, large')} onError={() => setUnreadable(true)} />
            <span>{rich('Good morning {img} everyone', { img: <img src={address} alt="" /> })}</span>
          </p>
        )}
        <TextField
          label={t('Name')}
          autoComplete="off"
          spellCheck="false"
          maxLength={MAX_LENGTH.emojiName}
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

type CustomEmoji = Organization['realm_emoji'][string]

/** The list of the organization's custom emoji, with buttons to add and remove emoji. */
export function CustomEmojiList(): ReactNode {
  const { realm_emoji, realm_user_groups, realm_can_add_custom_emoji_group, user_id, is_admin } = useOrganization(
    'realm_emoji',
    'realm_user_groups',
    'realm_can_add_custom_emoji_group',
    'user_id',
    'is_admin',
  )
  const [chosen, setChosen] = useState<File | null>(null)
  const [removed, setRemoved] = useState<string | null>(null)
  const section = useRef<HTMLElement>(null)
  const find = usePeople()
  const shown = Object.values(realm_emoji)
    .filter(({ deactivated }) => !deactivated)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const mayAdd = isInSetting(realm_user_groups, user_id, realm_can_add_custom_emoji_group)
  const mayRemove = ({ author_id }: CustomEmoji) => is_admin || author_id === user_id

  return (
    <section ref={section} className={settingsCss.settingsList} aria-label={t('Custom emoji')} tabIndex={-1}>
      {mayAdd ? (
        <AddEmoji onFile={setChosen} />
      ) : (
        <p className="soft">{t('You don’t have permission to add emoji.')}</p>
      )}
      {shown.length === 0 ? (
        <Empty icon={<Smile />} title={t('No custom emoji yet')}>
          <p>{t('Custom emoji appear here, and in the emoji picker.')}</p>
        </Empty>
      ) : (
        <ul className={css.customEmojiList} aria-label={t('Emoji')}>
          {shown.map((emoji) => (
            <li key={emoji.id}>
              <img src={emoji.source_url} alt="" />
              <span className={css.customEmojiName}>
                <span>:{emoji.name}:</span>
                <span className="soft small">
                  {t('by {name}', { name: find(emoji.author_id ?? 0)?.full_name ?? t('someone') })}
                </span>
              </span>
              {mayRemove(emoji) && (
                <Button
                  kind="quiet"
                  aria-label={t('Remove {name}', { name: emoji.name })}
                  onPress={() => setRemoved(emoji.name)}
                >
                  {t('Remove')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {chosen !== null && <NewEmojiDialog file={chosen} onClose={() => setChosen(null)} />}
      {removed !== null && (
        <ConfirmRemovalDialog
          name={`:${removed}:`}
          remove={() => call('DELETE /realm/emoji/{emoji_name}', { emoji_name: removed })}
          onClose={() => {
            setRemoved(null)
            // The button that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        >
          {t('It stays in existing messages and reactions, but can’t be used again.')}
        </ConfirmRemovalDialog>
      )}
    </section>
  )
}

/** A button that opens the file chooser. */
function AddEmoji({ onFile }: { onFile: (file: File | null) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        hidden
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0] ?? null)
          currentTarget.value = ''
        }}
      />
      <Button
        kind="primary"
        icon={<ImageUp className="icon" aria-hidden="true" />}
        onPress={() => input.current?.click()}
      >
        {t('Add emoji')}
      </Button>
    </div>
  )
}
