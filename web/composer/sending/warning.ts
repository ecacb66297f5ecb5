import { MAX_UNRESTRICTED_MENTIONS } from '#rules/shared-limits.ts'
import { isInSetting } from '../../store/membership.ts'
import type { Organization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import type { Destination } from '../destination.ts'

/** A warning before a message is sent, with a way to fix its cause. */
export type Warning = {
  readonly key: string
  readonly kind: 'info' | 'warn'
  readonly text: string
  readonly fix?: { readonly label: string } & (
    | { readonly action: 'subscribe'; readonly userId: number }
    | { readonly action: 'unresolve' }
    | { readonly action: 'follow'; readonly channelId: number; readonly topic: string }
  )
}

/** Facts about the recipients; undefined until they are loaded. */
export type RecipientFacts = {
  readonly organization: Organization
  /** The ids of the channel's subscribers; undefined if they are not known. */
  readonly subscribers: ReadonlySet<number> | undefined
  /** The names of the channel's topics; undefined if they are not known. */
  readonly topics: readonly string[] | undefined
  readonly mayAddPeople: boolean
  /** The topic to which the messages of the topic were moved that it had when the user began to write. */
  readonly movedTo?: { readonly channelId: number; readonly channel: string; readonly topic: string } | undefined
}

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
