import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { refreshDeliveries } from '../../settings/incoming-deliveries.tsx'
import type { Bot } from '../../settings/own-bots.ts'
import { useShowMessage } from '../../settings/show-message.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import * as css from './panel.module.css'
import { type Integration, Steps } from './service.tsx'
import { toTarget, type WebhookChoices } from './webhook-url.ts'

/** Buttons that send a test message and show the steps in the service. */
export function SendTest(props: {
  service: Integration
  /** The bot; undefined if it does not exist yet. */
  bot: Bot | undefined
  /** True if it is the next step. */
  isMain: boolean
  /** Returns the choices, or shows an error and returns null. */
  check: () => WebhookChoices | null
}): ReactNode {
  const { service, bot, isMain, check } = props
  const [lacksBot, setLacksBot] = useState(false)
  const [showsSteps, showSteps] = useState(false)
  const showMessage = useShowMessage()
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: ({ bot_id, choices }: { bot_id: number; choices: WebhookChoices }) =>
      call('POST /bots/{bot_id}/webhook_test', { bot_id, integration: service.name, ...toTarget(choices) }),
    onSettled: refreshDeliveries,
  })

  function send() {
    const choices = check()
    setLacksBot(bot === undefined)
    if (choices !== null && bot !== undefined) mutate({ bot_id: bot.user_id, choices })
  }

  return (
    <>
      <div className="row">
        {service.sample !== null && (
          <Button kind={isMain ? 'primary' : 'plain'} isPending={isPending} onPress={send}>
            {t('Send a test message')}
          </Button>
        )}
        <Button aria-expanded={showsSteps} onPress={() => showSteps(!showsSteps)}>
          {t('Steps')}
        </Button>
      </div>
      <div className={css.testResult} role="status">
        {lacksBot && bot === undefined && <p className="soft small">{t('Create the bot and the address first.')}</p>}
        {data !== undefined && !isPending && (
          <p className="row small">
            {t('The test message was sent.')}
            <Button kind="quiet" onPress={() => void showMessage(data.message_id)}>
              {t('Show message')}
            </Button>
          </p>
        )}
      </div>
      {error !== null && !isPending && (
        <ErrorNotice title={t('Couldn’t send the test message')} error={toAppError(error)} />
      )}
      {showsSteps && <Steps service={service} />}
    </>
  )
}
