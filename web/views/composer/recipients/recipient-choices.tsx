import type { Organization, Person, Subscription } from '../../../store/organization.ts'
import { messageablePeople, namesakeDetail, withOwnLast } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { ChannelSign } from '../completion/channel-sign.tsx'
import type { Suggestion } from '../completion/suggestion.ts'
import { matchNames } from './match-names.ts'

/** A channel or a person that the user can choose as a recipient. */
export type RecipientChoice = Suggestion & ({ readonly channelId: number } | { readonly userId: number })

/**
 * Returns the people and channels whose name contains the text, and the people whose email address starts with it. `#`
 * and `@` at its start ask for channels or people only. People in `chosen` are left out. The user comes last.
 */
export function recipientChoices(
  organization: Pick<Organization, 'realm_users' | 'subscriptions' | 'user_id'>,
  typed: string,
  { chosen = [], hasChannels }: { chosen?: readonly number[]; hasChannels: boolean },
): RecipientChoice[] {
  const [, sign = '', text = ''] = /^([#@]?)(.*)$/s.exec(typed.trimStart())!
  const wantsChannels = hasChannels && sign !== '@'
  const people = sign === '#' ? [] : messageablePeople(organization).filter(({ user_id }) => !chosen.includes(user_id))
  const channels = wantsChannels ? organization.subscriptions.filter(({ is_archived }) => !is_archived) : []
  const found = matchNames<Person | Subscription>([...people, ...channels], textsOf, text)
  return withOwnLast(found, organization.user_id).map((one) =>
    'user_id' in one ? toPersonChoice(one, organization) : toChannelChoice(one),
  )
}

const textsOf = (one: Person | Subscription): readonly string[] =>
  'user_id' in one ? [one.full_name, ...(one.delivery_email === null ? [] : [one.delivery_email])] : [one.name]

function toPersonChoice(
  person: Person,
  { realm_users, user_id: ownId }: Pick<Organization, 'realm_users' | 'user_id'>,
): RecipientChoice {
  const { user_id, full_name, avatar_url } = person
  const detail = person.delivery_email ?? namesakeDetail(person, realm_users)
  return {
    key: `person ${user_id}`,
    label: user_id === ownId ? t('{name} (you)', { name: full_name }) : full_name,
    ...(detail && { detail }),
    icon: <Avatar name={full_name} url={avatar_url} id={user_id} />,
    userId: user_id,
  }
}

const toChannelChoice = (channel: Subscription): RecipientChoice => ({
  key: `channel ${channel.stream_id}`,
  label: channel.name,
  icon: <ChannelSign channel={channel} />,
  channelId: channel.stream_id,
})
