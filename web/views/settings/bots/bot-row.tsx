import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { Badge } from '../../../ui/text/badge.tsx'
import { botKindName } from './bot-kinds.ts'
import type { Bot } from './own-bots.ts'

export type BotAction = 'change' | 'key' | 'end'

/** A bot, with the actions that its owner can use. */
export function BotRow({ bot, onAct }: { bot: Bot; onAct: (action: BotAction) => void }): ReactNode {
  const { full_name, username, avatar_url, bot_type, services } = bot
  const [service] = services
  return (
    <li className="bot-row">
      <Avatar id={bot.user_id} name={full_name} url={avatar_url} />
      <div className="bot-text">
        <span>
          <b>{full_name}</b> <Badge>{botKindName(bot_type)}</Badge>
        </span>
        <span className="soft small">{username}</span>
        {service !== undefined && (
          <span className="soft small">{t('Calls {baseUrl}', { baseUrl: service.base_url })}</span>
        )}
      </div>
      <RowMenu
        label={t('Actions for {name}', { name: full_name })}
        items={[
          { label: t('Edit…'), run: () => onAct('change') },
          { label: t('New API key…'), run: () => onAct('key') },
          { label: t('Deactivate…'), run: () => onAct('end'), isDanger: true },
        ]}
      />
    </li>
  )
}
