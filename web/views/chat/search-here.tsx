import { useNavigate } from '@tanstack/react-router'
import Search from 'lucide-react/icons/search'
import type { ReactNode } from 'react'
import { namedOperand, type SearchFilter, type SearchOperator, searchText } from '../../store/messages/search-query.ts'
import { usePeople } from '../../store/people/people.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { toLocation } from './to-location.ts'

export const filterOf = (operator: SearchOperator, operand: string): SearchFilter => ({
  operator,
  operand,
  negated: false,
})

/** The button that opens the search with these filters. */
export function SearchHere({ label, filters }: { label: string; filters: readonly SearchFilter[] }): ReactNode {
  const navigate = useNavigate()
  const query = searchText({ filters, words: '' })
  return <IconButton label={label} icon={Search} onPress={() => void navigate(toLocation({ kind: 'search', query }))} />
}

/** The button that searches a direct message conversation, in the header of the conversation. */
export function SearchDirect({ people }: { people: readonly number[] }): ReactNode {
  const find = usePeople()
  const operand = people.map((id) => namedOperand(id, find(id)?.full_name ?? '')).join(',')
  return <SearchHere label={t('Search these direct messages')} filters={[filterOf('dm', operand)]} />
}
