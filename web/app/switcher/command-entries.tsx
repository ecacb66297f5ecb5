import { useNavigate } from '@tanstack/react-router'
import Zap from 'lucide-react/icons/zap'
import { useMemo } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { SHORTCUT_COMMANDS } from '../../store/shortcuts/shortcut-commands.ts'
import { currentKey, keyLabel, useShortcutSettings } from '../../store/shortcuts/shortcut-keys.ts'
import { t } from '../../text/t.ts'
import { rank, toSearchIndex } from '../../ui/text/rank.ts'
import { ShortcutKey } from '../../ui/text/shortcut-key.tsx'
import type { ShortcutActions } from '../shortcuts/use-shortcut-actions.ts'
import { useOrganizationPages } from '../sidebar/menu-items.tsx'
import type { Entry } from './entry.ts'

const MAX_SHOWN = 5

/** Actions of menus that the quick switcher offers as commands. */
export type AccountActions = { readonly setStatus: () => void; readonly logOut: () => void }

/** A command. `key` is the default key of its shortcut, if it has one. */
type Command = { readonly label: string; readonly key?: string; readonly run: () => void }

/** Returns a function that finds commands by name. An empty query finds all commands. The entries show their keys. */
export function useCommandEntries(actions: ShortcutActions, account: AccountActions): (query: string) => Entry[] {
  const choice = useShortcutSettings()
  const navigate = useNavigate()
  const { user_id, user_status } = useOrganization()
  const { invites } = useOrganizationPages()
  const hasStatus = user_status[user_id] !== undefined
  const commands = useMemo(
    (): readonly Command[] => [
      ...SHORTCUT_COMMANDS.filter(({ isGlobal }) => isGlobal).map(({ key, label }) => ({
        label,
        key,
        run: () => actions[key]?.(),
      })),
      { label: hasStatus ? t('Change status…') : t('Set status…'), run: account.setStatus },
      ...(invites === null
        ? []
        : [
            {
              label: t('Invite people'),
              run: () => void navigate({ to: '.', search: (search: object) => ({ ...search, invite: invites }) }),
            },
          ]),
      { label: t('Log out'), run: account.logOut },
    ],
    [actions, account, navigate, invites, hasStatus],
  )
  const index = useMemo(() => toSearchIndex(commands, ({ label }) => label), [commands])
  return (query) =>
    (query === '' ? commands : rank(index, query, MAX_SHOWN)).map(({ key, label, run }) => ({
      id: `command ${key ?? label}`,
      kind: 'command',
      name: label,
      icon: <Zap className="icon" aria-hidden="true" />,
      detail: choice.areOn && key !== undefined ? <ShortcutKey name={keyLabel(currentKey(choice, key))} /> : undefined,
      run,
    }))
}
