import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import RotateCw from 'lucide-react/icons/rotate-cw'
import type { ReactNode } from 'react'
import { BotType } from '#rules/role.ts'
import { type AnswerOf, call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { t } from '../text/t.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import { Time } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './incoming-deliveries.module.css'
import { OutgoingDeliveriesDialog } from './outgoing-deliveries-dialog.tsx'
import { useShowMessage } from './show-message.ts'

type Delivery = AnswerOf<'GET /bots/{bot_id}/webhook_deliveries'>['deliveries'][number]

const KEY = 'webhook-deliveries'

/** The interval at which deliveries are fetched again, in milliseconds. No event reports them. */
const PERIOD = 10_000

/** The number of deliveries in one response. */
const PAGE = 10

/** Fetches the deliveries and the numbers of connections again. */
export function refreshDeliveries(): void {
  void queryClient.invalidateQueries({ queryKey: [KEY] })
  void queryClient.invalidateQueries({ queryKey: ['integrations'] })
}

/** The last deliveries to a bot that is an incoming or outgoing webhook. */
export function DeliveriesDialog(props: {
  bot: { user_id: number; full_name: string; bot_type: number | null }
  onClose: () => void
}): ReactNode {
  const { user_id, full_name: name, bot_type } = props.bot
  if (bot_type === BotType.outgoingWebhook) return <OutgoingDeliveriesDialog {...props} />
  return (
    <Dialog title={t('Deliveries to {name}', { name })} size="large" isOpen onClose={props.onClose}>
      <div className="dialog-body">
        <IncomingDeliveries botId={user_id} />
      </div>
    </Dialog>
  )
}

/** The last deliveries of a service, or of all, to the bot, with the server's answers. */
export function IncomingDeliveries(props: { service?: { name: string; title: string }; botId: number }): ReactNode {
  const { service, botId } = props
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [KEY, botId, service?.name],
    queryFn: ({ pageParam: before, signal }) =>
      call(
        'GET /bots/{bot_id}/webhook_deliveries',
        {
          ...{ bot_id: botId, num: PAGE },
          ...(service !== undefined && { integration: service.name }),
          ...(before !== null && { before }),
        },
        { signal },
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ deliveries, has_more }) => (has_more ? deliveries.at(-1)?.id : null),
    refetchInterval: PERIOD,
    staleTime: 0,
  })
  const { data: catalogue } = useQuery({
    queryKey: ['integrations'],
    queryFn: ({ signal }) => call('GET /integrations', {}, { signal }),
    enabled: service === undefined,
  })
  const titleOf = (name: string) => catalogue?.integrations.find((one) => one.name === name)?.title ?? name
  const deliveries = data?.pages.flatMap((page) => page.deliveries)
  return (
    <>
      {error !== null && deliveries === undefined ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : deliveries === undefined ? (
        <Loading label={t('Loading deliveries')} lines={2} />
      ) : deliveries.length === 0 ? (
        <p className="soft small">
          {service === undefined
            ? t('Nothing arrived in the last seven days. When a service sends something, it appears here.')
            : t('Nothing arrived in the last seven days. When {title} sends something, it appears here.', {
                title: service.title,
              })}
        </p>
      ) : (
        <ul className={css.incomingDeliveries} aria-label={t('Deliveries')}>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              title={service === undefined ? titleOf(delivery.integration) : null}
              botId={botId}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button kind="quiet" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('Show older deliveries')}
        </Button>
      )}
    </>
  )
}

const OUTCOMES: Readonly<Record<Delivery['outcome'], string>> = {
  posted: t('Posted'),
  left_out: t('Left out'),
  refused: t('Refused'),
}

const KINDS: Readonly<Record<Exclude<Delivery['kind'], 'delivery'>, string>> = {
  test: t('Test'),
  again: t('Sent again'),
}

/** Returns the destination that the address names; null if it is unknown. */
function useDestination({ stream, topic, outcome }: Delivery): string | null {
  const { subscriptions } = useOrganization('subscriptions')
  if (stream === null) return outcome === 'posted' ? t('Direct message') : null
  const channel = subscriptions.find(({ stream_id }) => String(stream_id) === stream)?.name ?? stream
  return topic === null ? t('#{channel}', { channel }) : t('#{channel} › {topic}', { channel, topic })
}

/** A delivery. `title` is the name of its service; null if the list is that of one service. */
function DeliveryRow(props: { delivery: Delivery; title: string | null; botId: number }): ReactNode {
  const { delivery, title, botId } = props
  const { id, time, outcome, text, message_id } = delivery
  const destination = useDestination(delivery)
  const name = delivery.event ?? destination ?? t('Delivery')
  const showMessage = useShowMessage()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call('POST /bots/{bot_id}/webhook_deliveries/{delivery_id}/send_again', { bot_id: botId, delivery_id: id }),
    onSuccess({ delivery: { outcome, text } }) {
      if (outcome === 'posted') showToast(t('Sent again'))
      else if (outcome === 'left_out') showToast(t('Sent again, and left out again. {text}', { text }))
      else showToast(t('Sent again, and refused again. {text}', { text }), { kind: 'error' })
    },
    onError: (error) =>
      showToast(t('Couldn’t send it again. {message}', { message: toAppError(error).message }), { kind: 'error' }),
    onSettled: refreshDeliveries,
  })
  return (
    <li className={css.incomingDelivery}>
      <span className={css.deliveryTime}>
        <Time at={time} as="precise" />
      </span>
      <span className={css.deliveryEvent}>
        {title !== null && <b>{title}</b>} {name}{' '}
        {delivery.kind !== 'delivery' && <Badge kind="quiet">{KINDS[delivery.kind]}</Badge>}
        {delivery.event !== null && destination !== null && <span className={css.destination}>{destination}</span>}
      </span>
      <span className={css.deliveryOutcome} data-outcome={outcome}>
        {message_id === null ? (
          OUTCOMES[outcome]
        ) : (
          <button
            type="button"
            aria-label={t('{outcome}: show message', { outcome: OUTCOMES[outcome] })}
            onClick={() => void showMessage(message_id)}
          >
            {OUTCOMES[outcome]}
          </button>
        )}
      </span>
      {delivery.can_send_again ? (
        <IconButton
          label={t('Send again: {name}', { name })}
          icon={RotateCw}
          isPending={isPending}
          onPress={() => mutate()}
        />
      ) : (
        <span />
      )}
      {outcome !== 'posted' && text !== '' && <p className={css.deliveryText}>{text}</p>}
    </li>
  )
}
