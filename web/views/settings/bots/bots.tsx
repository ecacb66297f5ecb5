import BotIcon from 'lucide-react/icons/bot'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { type BotAction, BotRow } from './bot-row.tsx'
import './bots.css'
import { t } from '../../../text/t.ts'
import { availableBotKinds } from './bot-kinds.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { DeactivateBotDialog } from './deactivate-bot-dialog.tsx'
import { DeactivatedBots } from './deactivated-bots.tsx'
import { NewBotDialog } from './new-bot-dialog.tsx'
import { NewBotKeyDialog } from './new-bot-key-dialog.tsx'
import { type Bot, useOwnBots } from './own-bots.ts'

const DIALOGS = { change: ChangeDialog, key: OwnKeyDialog, end: DeactivateBotDialog } as const

/** The list of the user's bots, with buttons to create, edit and deactivate bots. */
export function Bots(): ReactNode {
  const kinds = availableBotKinds(useOrganization())
  const { data: bots, error, refetch } = useOwnBots()
  const [isMaking, make] = useState(false)
  const [doing, action] = useState<{ act: BotAction; bot: Bot } | null>(null)
  const Doing = doing && DIALOGS[doing.act]
  return (
    <div className="stack">
      {kinds.length > 0 ? (
        <div>
          <Button kind="primary" icon={<Plus className="icon" aria-hidden="true" />} onPress={() => make(true)}>
            {t('New bot')}
          </Button>
        </div>
      ) : (
        <Notice kind="info">
          <p>{t('You don’t have permission to create bots. Ask an administrator.')}</p>
        </Notice>
      )}
      {error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : bots === undefined ? (
        <Loading label={t('Loading bots')} />
      ) : bots.length === 0 ? (
        <Empty icon={<BotIcon />} title={t('No bots')}>
          <p>{t('A bot is an account for a program, such as one that posts build results or answers questions.')}</p>
        </Empty>
      ) : (
        <ul className="card bot-list" aria-label={t('Your bots')}>
          {bots.map((bot) => (
            <BotRow key={bot.user_id} bot={bot} onAct={(chosen) => action({ act: chosen, bot })} />
          ))}
        </ul>
      )}
      <DeactivatedBots />
      {isMaking && <NewBotDialog kinds={kinds} onClose={() => make(false)} />}
      {Doing !== null && doing !== null && <Doing bot={doing.bot} onClose={() => action(null)} />}
    </div>
  )
}

function OwnKeyDialog({ bot, onClose }: { bot: Bot; onClose: () => void }): ReactNode {
  return <NewBotKeyDialog bot={{ ...bot, email: bot.username }} onClose={onClose} />
}
