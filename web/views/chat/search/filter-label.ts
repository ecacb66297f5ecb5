import { filterText, operandId, type SearchFilter } from '../../../store/messages/search-query.ts'
import { topicTitle } from '../../../store/messages/topic-title.ts'
import { findPerson, type Organization } from '../../../store/organization.ts'
import { distinctName } from '../../../store/people/people.ts'
import { findListedChannel } from '../../channels/listing.ts'

/** Returns the text that users see for a filter, with the current names of people and channels. */
export function filterLabel(filter: SearchFilter, organization: Organization): string {
  const { operator, operand } = filter
  const named = nameOf(filter, organization)
  if (named === null || operator === 'not') return filterText(filter)
  return `${filter.negated ? '-' : ''}${operator}: ${operator === 'topic' ? topicTitle(operand) : named}`
}

function nameOf({ operator, operand }: SearchFilter, organization: Organization): string | null {
  const personName = (one: string) => {
    const person = findPerson(organization, operandId(one) ?? 0)
    return person === undefined ? one : distinctName(person, organization.realm_users)
  }
  switch (operator) {
    case 'from':
    case 'dm-including':
      return personName(operand)
    case 'dm':
      return operand.split(',').map(personName).join(', ')
    case 'channel':
      return findListedChannel(organization, operandId(operand) ?? 0)?.channel.name ?? operand
    default:
      return operand
  }
}
