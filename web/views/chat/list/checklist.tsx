import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Circle from 'lucide-react/icons/circle'
import CircleCheck from 'lucide-react/icons/circle-check'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { setChecklist, useChecklist } from '../../../store/browser/checklist.ts'
import { requestNotificationAccess, useNotificationAccess } from '../../../store/browser/notification-access.ts'
import { fetchRange } from '../../../store/messages/messages.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { sortedChannels } from '../../channel/channels.ts'
import './checklist.css'

/** The first three steps of a new user, until they are done or dismissed. */
export function Checklist(): ReactNode {
  const { user_id, avatar_url_medium, subscriptions } = useOrganization()
  const isShown = useChecklist() === 'shown'
  const access = useNotificationAccess()
  const { data: hasWritten = false } = useQuery({
    queryKey: ['has-written', user_id],
    queryFn: async ({ signal }) => {
      const own = { kind: 'search', query: `from:${user_id}` } as const
      return (await fetchRange(own, 'newest', 1, 0, signal)).messages.length > 0
    },
    enabled: isShown,
    refetchOnMount: 'always',
  })
  if (!isShown) return null
  const channel = sortedChannels(subscriptions)[0]
  const hasPicture = avatar_url_medium?.startsWith('/user_avatars/') === true
  const canNotify = access === 'unasked' || access === 'granted'
  const done = [hasWritten, hasPicture, ...(canNotify ? [access === 'granted'] : [])]
  const count = done.filter(Boolean).length
  return (
    <section className="checklist" aria-labelledby="checklist-title">
      <header>
        <h2 id="checklist-title">{t('Get started')}</h2>
        <span className="soft small">{t('{count} of {total} done', { count, total: done.length })}</span>
        <IconButton label={t('Dismiss')} icon={X} onPress={() => setChecklist(user_id, 'dismissed')} />
      </header>
      <ul>
        <Step isDone={hasWritten}>
          {channel === undefined ? (
            <Link to="/channels">{t('Join a channel and say hello')}</Link>
          ) : (
            <Link to="/channels/$channelId" params={{ channelId: String(channel.stream_id) }}>
              {t('Say hello in #{name}', { name: channel.name })}
            </Link>
          )}
        </Step>
        <Step isDone={hasPicture}>
          <Link to="/settings/$section" params={{ section: 'profile' }}>
            {t('Set a picture')}
          </Link>
        </Step>
        {canNotify && (
          <Step isDone={access === 'granted'}>
            <button type="button" className="checklist-button" onClick={() => void requestNotificationAccess()}>
              {t('Turn on notifications')}
            </button>
          </Step>
        )}
      </ul>
    </section>
  )
}

function Step({ isDone, children }: { isDone: boolean; children: ReactNode }): ReactNode {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li className={isDone ? 'checklist-done' : ''}>
      <Icon className="icon" aria-hidden="true" />
      {children}
      {isDone && <span className="visually-hidden">{t('(done)')}</span>}
    </li>
  )
}
