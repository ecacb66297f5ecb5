import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import BotIcon from 'lucide-react/icons/bot'
import Plug from 'lucide-react/icons/plug'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useState } from 'react'
import { BotType } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { availableBotKinds, botKindName } from '../../people/bot-kinds.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Person, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { showToast } from '../../ui/toasts.ts'
import { BotCommandsDialog } from '../bot-commands-dialog.tsx'
import { DeliveriesDialog } from '../incoming-deliveries.tsx'
import { NewBotKeyDialog } from '../new-bot-key-dialog.tsx'
import { type Bot, refreshBots, useDeactivatedBots, useOwnBots } from '../own-bots.ts'
import { ChangeDialog, NewBotDialog } from './bot-dialogs.tsx'
import * as css from './bots.module.css'

type BotAction = 'change' | 'commands' | 'deliveries' | 'key' | 'end'

/** A bot, with the actions that its owner can use. */
function BotRow({ bot, onAct }: { bot: Bot; onAct: (action: BotAction) => void }): ReactNode {
  const { full_name, username, avatar_url, bot_type, services } = bot
  const [service] = services
  return (
    <li className={css.botRow}>
      <Avatar id={bot.user_id} name={full_name} url={avatar_url} />
      <div className={css.botText}>
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
          ...(service === undefined ? [] : [{ label: t('Commands…'), run: () => onAct('commands') }]),
          ...(bot_type === BotType.generic ? [] : [{ label: t('Deliveries…'), run: () => onAct('deliveries') }]),
          { label: t('New API key…'), run: () => onAct('key') },
          { label: t('Deactivate…'), run: () => onAct('end'), isDanger: true },
        ]}
      />
    </li>
  )
}

/** Asks before a bot is deactivated. */
function DeactivateBotDialog({ bot: { user_id, full_name }, onClose }: { bot: Bot; onClose: () => void }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /bots/{bot_id}', { bot_id: user_id }),
    onSuccess() {
      refreshBots()
      showToast(t('{name} deactivated', { name: full_name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Deactivate {name}?', { name: full_name })} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t deactivate the bot')} error={toAppError(error)} />}
        <p>{t('Programs that use it stop working immediately. Its messages stay, and you can reactivate it later.')}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Deactivate')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The list of the user's deactivated bots, with buttons to reactivate them. */
function DeactivatedBots(): ReactNode {
  const bots = useDeactivatedBots()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ user_id }: Person) => call('POST /users/{user_id}/reactivate', { user_id }),
    onSuccess(_, { full_name }) {
      refreshBots()
      showToast(t('{name} reactivated', { name: full_name }))
    },
    onError: (error, { full_name }) =>
      showToast(t('Couldn’t reactivate {name}. {message}', { name: full_name, message: toAppError(error).message }), {
        kind: 'error',
      }),
  })
  if (bots.length === 0) return null
  return (
    <section className="stack" aria-labelledby="ended-bots">
      <h2 id="ended-bots">{t('Deactivated')}</h2>
      <ul className={`card ${css.botList}`}>
        {bots.map((bot) => (
          <li key={bot.user_id} className={css.botRow}>
            <Avatar id={bot.user_id} name={bot.full_name} url={bot.avatar_url} />
            <div className={css.botText}>
              <b>{bot.full_name}</b>
              <span className="soft small">{bot.email}</span>
            </div>
            <Button
              aria-label={t('Reactivate {name}', { name: bot.full_name })}
              isPending={isPending && variables?.user_id === bot.user_id}
              onPress={() => mutate(bot)}
            >
              {t('Reactivate')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const DIALOGS = {
  change: ChangeDialog,
  commands: BotCommandsDialog,
  deliveries: DeliveriesDialog,
  key: OwnKeyDialog,
  end: DeactivateBotDialog,
} as const

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
        <div className="row">
          <Button kind="primary" icon={<Plus className="icon" aria-hidden="true" />} onPress={() => make(true)}>
            {t('New bot')}
          </Button>
          <Link to="/add-integration" className="button">
            <Plug className="icon" aria-hidden="true" /> {t('Add integration')}
          </Link>
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
        <ul className={`card ${css.botList}`} aria-label={t('Your bots')}>
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
