import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Text } from 'react-aria-components/Text'
import { currentKey, keyLabel, SHORTCUT_COMMANDS, useShortcutSettings } from '../../store/browser/shortcut-keys.ts'
import { useOrganization } from '../../store/organization.ts'
import { messageablePeople } from '../../store/people/people.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { ShortcutKey } from '../../ui/text/shortcut-key.tsx'
import '../../ui/layout/popover.css'
import { sortedChannels } from '../../views/channel/channels.ts'
import { matchesName } from '../../views/chat/pane/matches-name.ts'
import { toLocation } from '../../views/chat/to-location.ts'
import './palette.css'
import { t } from '../../text/t.ts'
import type { ShortcutActions } from './use-shortcut-actions.ts'

/** Shortcuts that need no focused message. */
const ANYWHERE: ReadonlySet<string> = new Set('?/cxnpItadqw')

const PAGES = [
  ['/inbox', t('Inbox')],
  ['/recent', t('Recent')],
  ['/combined', t('Combined feed')],
  ['/mentions', t('Mentions')],
  ['/starred', t('Starred')],
  ['/scheduled', t('Scheduled')],
  ['/channels', t('All channels')],
  ['/channels/new', t('New channel')],
  ['/people', t('People')],
] as const

const SETTINGS = [
  ['profile', t('Your profile')],
  ['availability', t('Availability')],
  ['preferences', t('Preferences')],
  ['notifications', t('Notifications')],
  ['bots', t('Your bots')],
  ['keyboard', t('Customize keyboard shortcuts')],
] as const

const SEARCH = 'search'

/** The number of entries that are shown at once. */
const MAX_SHOWN = 100

type Entry = { id: string; name: string; key?: string; run: () => void }

/** The palette with all channels, people, pages and commands, and a search for what the user types. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function Palette({ acts: actions, onClose }: { acts: ShortcutActions; onClose: () => void }): ReactNode {
  const [typed, type] = useState('')
  const known = useEntries(actions)
  const navigate = useNavigate()
  const words = typed.trim()
  const search: Entry = {
    id: SEARCH,
    name: t('Search messages for “{words}”', { words }),
    run: () => void navigate(toLocation({ kind: 'search', words })),
  }
  const found = known.filter(({ name }) => matchesName(name, words)).slice(0, MAX_SHOWN)
  const entries = words === '' ? found : [...found, search]
  function run(id: string) {
    onClose()
    // Commands run after the dialog has returned the focus.
    setTimeout(() => entries.find((entry) => entry.id === id)?.run(), 50)
  }
  return (
    <Dialog title={t('Search or jump to')} isOpen onClose={onClose}>
      <div className="dialog-body palette">
        <Autocomplete inputValue={typed} onInputChange={type}>
          <TextField label={t('Channel, person, page or command')} autoFocus autoComplete="off" />
          <Menu
            className="menu"
            aria-label={t('Results')}
            items={entries}
            onAction={(id) => run(String(id))}
            renderEmptyState={() => <p className="soft">{t('No matches.')}</p>}
          >
            {({ id, name, key }) => (
              <MenuItem id={id} className="menu-item" textValue={name}>
                <Text slot="label">{name}</Text>
                {key !== undefined && <ShortcutKey name={key} />}
              </MenuItem>
            )}
          </Menu>
        </Autocomplete>
      </div>
    </Dialog>
  )
}

function useEntries(actions: ShortcutActions): Entry[] {
  const navigate = useNavigate()
  const choice = useShortcutSettings()
  const organization = useOrganization()
  const commands = SHORTCUT_COMMANDS.filter(({ key }) => ANYWHERE.has(key)).map(
    ({ key, label: does }): Entry => ({
      id: `does ${key}`,
      name: does,
      ...(choice.areOn && { key: keyLabel(currentKey(choice, key)) }),
      run: () => actions[key]?.(),
    }),
  )
  const pages = PAGES.map(([to, name]): Entry => ({ id: `page ${to}`, name, run: () => void navigate({ to }) }))
  const channels = sortedChannels(organization.subscriptions).map(
    ({ stream_id, name }): Entry => ({
      id: `channel ${stream_id}`,
      name: `#${name}`,
      run: () => void navigate({ to: '/channels/$channelId', params: { channelId: String(stream_id) } }),
    }),
  )
  const settings = SETTINGS.map(
    ([section, name]): Entry => ({
      id: `settings ${section}`,
      name,
      run: () => void navigate({ to: '/settings/$section', params: { section } }),
    }),
  )
  const people = messageablePeople(organization).map(
    ({ user_id, full_name }): Entry => ({
      id: `person ${user_id}`,
      name: full_name,
      run: () => void navigate(toLocation({ kind: 'direct', people: [user_id] })),
    }),
  )
  return [...channels, ...people, ...pages, ...settings, ...commands]
}
