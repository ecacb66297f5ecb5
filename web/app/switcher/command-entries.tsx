import Zap from 'lucide-react/icons/zap'
import { useMemo } from 'react'
import { SHORTCUT_COMMANDS } from '../../store/shortcuts/shortcut-commands.ts'
import { currentKey, keyLabel, useShortcutSettings } from '../../store/shortcuts/shortcut-keys.ts'
import { rank, toSearchIndex } from '../../ui/text/rank.ts'
import { ShortcutKey } from '../../ui/text/shortcut-key.tsx'
import type { ShortcutActions } from '../shortcuts/use-shortcut-actions.ts'
import type { Entry } from './entry.ts'

const COMMANDS = SHORTCUT_COMMANDS.filter(({ isGlobal }) => isGlobal)

const MAX_SHOWN = 5

/** Returns a function that finds commands by name. An empty query finds all commands. The entries show their keys. */
export function useCommandEntries(actions: ShortcutActions): (query: string) => Entry[] {
  const choice = useShortcutSettings()
  const index = useMemo(() => toSearchIndex(COMMANDS, ({ label }) => label), [])
  return (query) =>
    (query === '' ? COMMANDS : rank(index, query, MAX_SHOWN)).map(({ key, label }) => ({
      id: `command ${key}`,
      kind: 'command',
      name: label,
      icon: <Zap className="icon" aria-hidden="true" />,
      detail: choice.areOn ? <ShortcutKey name={keyLabel(currentKey(choice, key))} /> : undefined,
      run: () => actions[key]?.(),
    }))
}
