import CalendarClock from 'lucide-react/icons/calendar-clock'
import Code from 'lucide-react/icons/code'
import Slash from 'lucide-react/icons/slash'
import { t } from '../../../text/t.ts'
import { rank, toSearchIndex } from '../../../ui/text/rank.ts'
import { SLASH_COMMANDS } from '../slash-commands.ts'
import { LANGUAGES } from './languages.ts'
import { MAX_ROWS } from './mention-suggestions.tsx'
import type { Suggestion } from './suggestion.ts'

export const suggestCommands = (query: string): Suggestion[] =>
  SLASH_COMMANDS.filter(({ name }) => name.startsWith(query.toLowerCase())).map(({ name, hint, insert }) => ({
    key: name,
    label: `/${name}`,
    detail: hint,
    icon: <Slash className="icon" aria-hidden="true" />,
    insert,
    ...((name === 'poll' || name === 'todo') && { opensWidget: name }),
  }))

/** Returns languages of code blocks, with the languages of the organization's playgrounds first. */
export function suggestLanguages(query: string, playgrounds: readonly string[]): Suggestion[] {
  if (query === '') return []
  const own = playgrounds.map((name) => name.toLowerCase())
  const all = [...new Set([...own, ...LANGUAGES])]
  return rank(
    toSearchIndex(all, (name) => name),
    query,
    MAX_ROWS,
  ).map((name) => ({
    key: name,
    label: name,
    icon: <Code className="icon" aria-hidden="true" />,
    insert: `${name}\n`,
  }))
}

export const suggestTime = (): Suggestion[] => [
  {
    key: 'time',
    label: t('Choose a date and time'),
    detail: t('Everyone sees it in their time zone'),
    icon: <CalendarClock className="icon" aria-hidden="true" />,
    opensDates: true,
  },
]
