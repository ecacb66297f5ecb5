import type { Organization } from '../../../store/organization.ts'
import { isInSetting } from '../../../store/people/membership.ts'
import { t } from '../../../text/t.ts'

/** `bot_type` of the API. */
export const BotKind = { generic: 1, incoming: 2, outgoing: 3 } as const

export type BotKindInfo = { id: number; label: string; hint: string; next: string }

export const BOT_KINDS: readonly BotKindInfo[] = [
  {
    id: BotKind.generic,
    label: t('Generic'),
    hint: t('A program of your own. It reads and writes as people do.'),
    next: t(
      'Download the zuliprc for zulip-send, the libraries for Python and JavaScript, and most other programs. Then add the bot to the channels that it should hear.',
    ),
  },
  {
    id: BotKind.incoming,
    label: t('Incoming webhook'),
    hint: t('For another service that writes here, and does nothing else.'),
    next: t('Give the service the address of the bot and this key. It sends messages with them, and can read none.'),
  },
  {
    id: BotKind.outgoing,
    label: t('Outgoing webhook'),
    hint: t('Calls an address of yours when somebody mentions it or writes to it.'),
    next: t('Messages go to your address from now on. With this key your program can do more than answer.'),
  },
]

/** The kind of a bot in words; of one that the server has beside these, that it is one. */
export const botKindName = (botType: number | null): string =>
  BOT_KINDS.find(({ id }) => id === botType)?.label ?? t('Bot')

type Rules = Pick<
  Organization,
  | 'is_guest'
  | 'user_id'
  | 'realm_user_groups'
  | 'realm_can_create_bots_group'
  | 'realm_can_create_write_only_bots_group'
>

/** The kinds of bots that one may make. */
export function availableBotKinds(rules: Rules): readonly BotKindInfo[] {
  const has = (setting: Parameters<typeof isInSetting>[2]) =>
    isInSetting(rules.realm_user_groups, rules.user_id, setting)
  if (rules.is_guest) return []
  if (has(rules.realm_can_create_bots_group)) return BOT_KINDS
  return has(rules.realm_can_create_write_only_bots_group) ? BOT_KINDS.filter(({ id }) => id === BotKind.incoming) : []
}
