import { BotType, mayHaveBotType } from '#rules/role.ts'
import { isInSetting } from '../store/membership.ts'
import type { Organization } from '../store/organization.ts'
import { t } from '../text/t.ts'

export type BotKindInfo = { id: number; label: string; hint: string; next: string }

export const BOT_KINDS: readonly BotKindInfo[] = [
  {
    id: BotType.generic,
    label: t('Generic'),
    hint: t('For your own program. It can read and send messages.'),
    next: t(
      'Download the zuliprc file for zulip-send, the Python and JavaScript libraries, and most other programs. Then add the bot to the channels it should read.',
    ),
  },
  {
    id: BotType.incomingWebhook,
    label: t('Incoming webhook'),
    hint: t('For a service that only posts messages here.'),
    next: t('Give the service the bot’s email address and this key. It can send messages but not read any.'),
  },
  {
    id: BotType.outgoingWebhook,
    label: t('Outgoing webhook'),
    hint: t('Calls your URL when someone mentions the bot, sends it a direct message, or uses one of its commands.'),
    next: t('Messages are now sent to your URL. With this key, your program can use the rest of the API.'),
  },
]

/** Returns the name of a bot type; "Bot" for unknown types. */
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

/** Returns the bot types that the user may create. */
export function availableBotKinds(rules: Rules): readonly BotKindInfo[] {
  const has = (setting: Parameters<typeof isInSetting>[2]) =>
    isInSetting(rules.realm_user_groups, rules.user_id, setting)
  const may = {
    createAny: has(rules.realm_can_create_bots_group),
    createWriteOnly: has(rules.realm_can_create_write_only_bots_group),
  }
  return rules.is_guest ? [] : BOT_KINDS.filter(({ id }) => mayHaveBotType(id, may))
}
