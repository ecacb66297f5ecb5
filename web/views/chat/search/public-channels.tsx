import Globe from 'lucide-react/icons/globe'
import type { ReactNode } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { type SearchFilter, searchText } from '../../../store/messages/search-query.ts'
import { t } from '../../../text/t.ts'
import '../../../ui/layout/chips.css'

const PUBLIC: SearchFilter = { operator: 'channels', operand: 'public', negated: false }

const isPublic = ({ operator, negated }: SearchFilter) => operator === 'channels' && !negated

/** The operators that already limit a search to certain channels or conversations. */
const ELSEWHERE: ReadonlySet<string> = new Set(['channel', 'dm', 'dm-including', 'id', 'with', 'channels'])

/** Returns true if the search could also find messages in public channels that the user has not joined. */
export const maySearchPublic = (filters: readonly SearchFilter[]): boolean =>
  !filters.some(
    ({ operator, operand, negated }) =>
      !negated && (ELSEWHERE.has(operator) || (operator === 'is' && operand !== 'resolved') || operator === 'in'),
  )

/** Returns the text of the same search in all public channels. */
export const inPublicChannels = (filters: readonly SearchFilter[], words: string): string =>
  searchText({ filters: [...filters, PUBLIC], words })

/** A button that switches the search between the user's own messages and all public channels. */
export function PublicChannelsToggle(props: {
  filters: readonly SearchFilter[]
  words: string
  onSearch: (text: string) => void
}): ReactNode {
  const { filters, words, onSearch } = props
  const isOn = filters.some(isPublic)
  if (!isOn && !maySearchPublic(filters)) return null
  return (
    <ToggleButton
      className="chip"
      isSelected={isOn}
      onChange={(next) =>
        onSearch(
          next
            ? inPublicChannels(filters, words)
            : searchText({ filters: filters.filter((filter) => !isPublic(filter)), words }),
        )
      }
    >
      <Globe className="icon" aria-hidden="true" />
      {t('Search all public channels')}
    </ToggleButton>
  )
}
