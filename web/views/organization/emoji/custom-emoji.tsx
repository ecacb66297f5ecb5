import ImageUp from 'lucide-react/icons/image-up'
import Smile from 'lucide-react/icons/smile'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { type Organization, useOrganization } from '../../../store/organization.ts'
import { isInSetting } from '../../../store/people/membership.ts'
import { usePeople } from '../../../store/people/people.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ConfirmRemovalDialog } from '../confirm-removal-dialog.tsx'
import './custom-emoji.css'
import { t } from '../../../text/t.ts'
import { NewEmojiDialog } from './new-emoji-dialog.tsx'

type CustomEmoji = Organization['realm_emoji'][string]

/** The list of the organization's custom emoji, with buttons to add and remove emoji. */
export function CustomEmojiList(): ReactNode {
  const { realm_emoji, realm_user_groups, realm_can_add_custom_emoji_group, user_id, is_admin } = useOrganization()
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
    <section ref={section} className="settings-list" aria-label={t('Custom emoji')} tabIndex={-1}>
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
        <ul className="custom-emoji-list" aria-label={t('Emoji')}>
          {shown.map((emoji) => (
            <li key={emoji.id}>
              <img src={emoji.source_url} alt="" />
              <span className="custom-emoji-name">
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
