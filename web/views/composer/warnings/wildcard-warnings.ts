import { MAX_UNRESTRICTED_MENTIONS } from '#rules/limits.ts'
import { isInSetting } from '../../../store/people/membership.ts'
import { t } from '../../../text/t.ts'
import type { Destination } from '../destination.ts'
import type { RecipientFacts, Warning } from './warning.ts'

const WILDCARD = /@\*\*(?:all|everyone|channel|stream)\*\*/

/** Returns the number of users whom a wildcard in the text would notify, if it needs a confirmation; null otherwise. */
export function countOfWildcard(text: string, destination: Destination, subscribers: number): number | null {
  const reachesMany = destination.kind === 'channel' && subscribers > MAX_UNRESTRICTED_MENTIONS
  return reachesMany && WILDCARD.test(text) ? subscribers : null
}

/** Returns a warning if a wildcard in the text would notify many people. It says so if the user may not do that. */
export function wildcardWarnings(
  text: string,
  channel: string,
  { organization, subscribers }: RecipientFacts,
): Warning[] {
  if (!WILDCARD.test(text) || subscribers === undefined || subscribers.size <= MAX_UNRESTRICTED_MENTIONS) return []
  const { realm_user_groups, user_id, realm_can_mention_many_users_group: setting } = organization
  const count = subscribers.size
  return [
    isInSetting(realm_user_groups, user_id, setting)
      ? {
          key: 'wildcard',
          kind: 'warn',
          text: t('This message notifies {count, plural, one {# person} other {all # people}} in #{channel}.', {
            count,
            channel,
          }),
        }
      : {
          key: 'wildcard',
          kind: 'warn',
          text: t(
            'You don’t have permission to notify {count, plural, one {# person} other {all # people}} in #{channel}.',
            { count, channel },
          ),
        },
  ]
}
