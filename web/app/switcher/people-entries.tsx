import { useNavigate } from '@tanstack/react-router'
import Users from 'lucide-react/icons/users'
import { useMemo } from 'react'
import { directConversations } from '../../store/messages/direct-conversations.ts'
import { type Person, useOrganization } from '../../store/organization.ts'
import { namesakeDetail, withOwnLast } from '../../store/people/people.ts'
import { t } from '../../text/t.ts'
import { rank, toSearchIndex } from '../../ui/text/rank.ts'
import { DirectIcon } from '../../views/chat/header/direct-title.tsx'
import { indexOfPeople } from '../../views/composer/completion/mention-suggestions.tsx'
import { groupName } from '../../views/groups/group-name.ts'
import type { Entry } from './entry.ts'
import { useOpenNarrow } from './use-open-narrow.ts'

const MAX_PEOPLE = 6
const MAX_GROUPS = 3

/** Returns functions that find active people and groups. The user comes last among the people. Choosing a person opens the direct messages with them. */
export function usePeopleEntries(): { people: (query: string) => Entry[]; groups: (query: string) => Entry[] } {
  const { realm_users, realm_user_groups, user_id: ownId } = useOrganization()
  const navigate = useNavigate()
  const open = useOpenNarrow()
  const direct = directConversations.use()
  const partners = useMemo(() => new Set(direct.flatMap(({ people }) => people)), [direct])
  const groups = useMemo(() => {
    const active = realm_user_groups.filter((group) => !group.is_system_group && !group.deactivated)
    return toSearchIndex(active, groupName)
  }, [realm_user_groups])

  return {
    people: (query) => {
      const weightOf = ({ user_id }: Person) => (partners.has(user_id) ? -1 : 0)
      const found = rank(indexOfPeople(realm_users), query, MAX_PEOPLE, weightOf)
      return withOwnLast(found, ownId).map((person) => ({
        id: `person ${person.user_id}`,
        kind: 'person',
        name: person.user_id === ownId ? t('{name} (you)', { name: person.full_name }) : person.full_name,
        icon: <DirectIcon people={[person.user_id]} />,
        detail: namesakeDetail(person, realm_users),
        run: () => open({ kind: 'direct', people: [person.user_id] }),
      }))
    },
    groups: (query) =>
      rank(groups, query, MAX_GROUPS).map((group) => ({
        id: `group ${group.id}`,
        kind: 'group',
        name: groupName(group),
        icon: <Users className="icon" aria-hidden="true" />,
        detail: t('Group'),
        run: () =>
          void navigate({
            to: '/organization/$section',
            params: { section: 'groups' },
            search: { group: group.id },
          }),
      })),
  }
}
