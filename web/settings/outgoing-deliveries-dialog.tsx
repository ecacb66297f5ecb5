import { type InfiniteData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import Send from 'lucide-react/icons/send'
import type { ReactNode } from 'react'
import { type AnswerOf, call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { queryClient } from '../store/query-client.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Badge, type BadgeKind } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading } from '../ui/page-states.tsx'
import { Time } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './outgoing-deliveries-dialog.module.css'
import { useShowMessage } from './show-message.ts'

type Page = AnswerOf<'GET /bots/{bot_id}/outgoing_deliveries'>
type Delivery = Page['deliveries'][number]

/** The intervals at which the list is refreshed while a delivery waits, and otherwise, in milliseconds. */
const FAST = 2000
const SLOW = 10_000

const keyOf = (botId: number) => ['outgoing-deliveries', botId]

/** The messages that an outgoing webhook got, with their outcomes, and buttons to send them again. */
export function OutgoingDeliveriesDialog(props: {
  bot: { user_id: number; full_name: string }
  onClose: () => void
}): ReactNode {
  const { user_id: botId, full_name: name } = props.bot
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: keyOf(botId),
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /bots/{bot_id}/outgoing_deliveries',
        { bot_id: botId, ...(pageParam !== null && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ deliveries, has_more }) => (has_more ? deliveries.at(-1)?.id : null),
    refetchInterval: ({ state }) => (areWaiting(state.data) ? FAST : SLOW),
    staleTime: 0,
    gcTime: 0,
  })
  const deliveries = data?.pages.flatMap((page) => page.deliveries)
  return (
    <Dialog title={t('Deliveries to {name}', { name })} size="large" isOpen onClose={props.onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />}
        {deliveries === undefined ? (
          error === null && <Loading label={t('Loading deliveries')} />
        ) : deliveries.length === 0 ? (
          <Empty icon={<Send />} title={t('No deliveries')}>
            <p>{t('Messages that the bot got in the last seven days will appear here.')}</p>
          </Empty>
        ) : (
          <ul className={css.outgoingDeliveries} aria-label={t('Deliveries')}>
            {deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} botId={botId} delivery={delivery} onClose={props.onClose} />
            ))}
          </ul>
        )}
      </div>
      {hasNextPage && (
        <DialogActions>
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {t('Show more')}
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}

const areWaiting = (data: InfiniteData<Page, unknown> | undefined): boolean =>
  data?.pages.some(({ deliveries }) => deliveries.some(({ outcome }) => outcome === 'waiting')) === true

const OUTCOMES: Readonly<Record<Delivery['outcome'], { label: string; kind: BadgeKind }>> = {
  waiting: { label: t('Waiting'), kind: 'accent' },
  answered: { label: t('Answered'), kind: 'good' },
  accepted: { label: t('Accepted'), kind: 'good' },
  failed: { label: t('Failed'), kind: 'danger' },
  left_out: { label: t('Not sent'), kind: 'warn' },
}

const TRIGGERS: Readonly<Record<Delivery['trigger'], string>> = {
  mention: t('Mention'),
  direct_message: t('Direct message'),
  command: t('Command'),
}

function DeliveryRow(props: { botId: number; delivery: Delivery; onClose: () => void }): ReactNode {
  const { botId, delivery, onClose } = props
  const { id, message_id, trigger, time, outcome, status, attempts, next_attempt_at, text, can_send_again } = delivery
  const { label, kind } = OUTCOMES[outcome]
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call('POST /bots/{bot_id}/outgoing_deliveries/{delivery_id}/send_again', { bot_id: botId, delivery_id: id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(botId) }),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  const showMessage = useShowMessage(onClose)

  return (
    <li className={css.outgoingDelivery}>
      <div className={css.deliveryNote}>
        <span className={css.outgoingFacts}>
          <Badge kind={kind}>{label}</Badge>
          {message_id === null ? (
            <span>{TRIGGERS[trigger]}</span>
          ) : (
            <button type="button" className={css.outgoingMessage} onClick={() => void showMessage(message_id)}>
              {TRIGGERS[trigger]}
            </button>
          )}
          <span className="soft small">
            <Time at={time} as="ago" />
          </span>
          {status !== null && <span className="soft small">{t('Status {status}', { status: String(status) })}</span>}
          {attempts > 1 && (
            <span className="soft small">
              {t('{count, plural, one {# attempt} other {# attempts}}', { count: attempts })}
            </span>
          )}
        </span>
        {text !== '' && <span className="small">{text}</span>}
        {next_attempt_at !== null && text !== '' && (
          <span className="soft small">
            {rich('Next attempt {when}', { when: <Time at={next_attempt_at} as="relative" /> })}
          </span>
        )}
      </div>
      {can_send_again && (
        <Button isPending={isPending} onPress={() => mutate()}>
          {t('Send again')}
        </Button>
      )}
    </li>
  )
}
