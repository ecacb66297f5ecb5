import { Link } from '@tanstack/react-router'
import Circle from 'lucide-react/icons/circle'
import CircleCheck from 'lucide-react/icons/circle-check'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { requestComposeOnNextPage } from '../../browser/compose-requests.ts'
import { setChecklist } from '../../browser/first-steps.ts'
import { requestNotificationAccess, useNotificationAccess } from '../../browser/notifications.ts'
import { holdTyping } from '../../browser/typed-ahead.ts'
import { sortedChannels } from '../../channels/channel.ts'
import { postingProblem } from '../../composer/posting-rights.ts'
import { type Organization, type Subscription, useOrganization } from '../../store/organization.ts'
import { useIsListIncomplete } from '../../store/people-on-demand.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './checklist.module.css'
import { useHasWritten } from './use-has-written.ts'

type ChecklistStep = { readonly id: string; readonly isDone: boolean; readonly content: ReactNode }

/** The first three steps for a new user. All users say hello. Owners also invite people, and describe the organization. */
export function ChecklistSteps({ onClose }: { onClose: () => void }): ReactNode {
  const { user_id, is_owner } = useOrganization('user_id', 'is_owner')
  const ofOwner = useOwnerSteps()
  const ofMember = useMemberSteps()
  const steps = is_owner ? ofOwner : ofMember
  const dismiss = () => {
    setChecklist(user_id, 'dismissed')
    showToast(t('First steps dismissed'), { undo: () => setChecklist(user_id, 'shown') })
    onClose()
  }
  return (
    <section className={css.checklist} aria-labelledby="checklist-title">
      <header>
        <h2 id="checklist-title">{t('Get started')}</h2>
        <span className="soft small">
          {t('{count} of {total} done', { count: steps.filter(({ isDone }) => isDone).length, total: steps.length })}
        </span>
        <IconButton label={t('Dismiss')} icon={X} onPress={dismiss} />
      </header>
      <ul>
        {steps.map(({ id, isDone, content }) => (
          <Step key={id} isDone={isDone}>
            {content}
          </Step>
        ))}
      </ul>
    </section>
  )
}

function useOwnerSteps(): ChecklistStep[] {
  const { realm_users, realm_description, realm_icon_source } = useOrganization(
    'realm_users',
    'realm_description',
    'realm_icon_source',
  )
  const hasPeople = useIsListIncomplete() || realm_users.filter(({ is_bot }) => !is_bot).length > 1
  return [
    useHelloStep(),
    {
      id: 'people',
      isDone: hasPeople,
      content: (
        <Link to="." search={(search: object) => ({ ...search, invite: 'email' as const })}>
          {t('Invite people')}
        </Link>
      ),
    },
    {
      id: 'organization',
      isDone: realm_description !== '' || realm_icon_source === 'U',
      content: (
        <Link to="/organization/$section" params={{ section: 'profile' }}>
          {t('Describe your organization')}
        </Link>
      ),
    },
  ]
}

function useMemberSteps(): ChecklistStep[] {
  const { avatar_url_medium } = useOrganization('avatar_url_medium')
  const access = useNotificationAccess()
  const canNotify = access === 'unasked' || access === 'granted'
  return [
    useHelloStep(),
    {
      id: 'picture',
      isDone: avatar_url_medium?.startsWith('/user_avatars/') === true,
      content: (
        <Link to="/settings/$section" params={{ section: 'profile' }}>
          {t('Add a profile picture')}
        </Link>
      ),
    },
    ...(canNotify
      ? [
          {
            id: 'notifications',
            isDone: access === 'granted',
            content: (
              <button type="button" className={css.checklistButton} onClick={() => void requestNotificationAccess()}>
                {t('Turn on notifications')}
              </button>
            ),
          },
        ]
      : []),
  ]
}

function useHelloStep(): ChecklistStep {
  const organization = useOrganization()
  const channel = channelForHello(organization)
  const hasWritten = useHasWritten(true, channel?.stream_id) === true
  return {
    id: 'hello',
    isDone: hasWritten,
    content:
      channel === undefined ? (
        <Link to="/channels">{t('Join a channel and say hello')}</Link>
      ) : (
        <Link
          to="/channels/$channelId"
          params={{ channelId: String(channel.stream_id) }}
          onClick={({ ctrlKey, metaKey, shiftKey, altKey }) => {
            const isElsewhere = ctrlKey || metaKey || shiftKey || altKey
            const conversation = { channelId: channel.stream_id }
            if (isElsewhere) return
            requestComposeOnNextPage({ text: '', isFocusOnly: true, conversation })
            holdTyping('next-page')
          }}
        >
          {t('Say hello in #{name}', { name: channel.name })}
        </Link>
      ),
  }
}

/** Returns the oldest default channel in which the user may post, or else the first such channel of the sidebar. */
function channelForHello(organization: Organization): Subscription | undefined {
  const { realm_default_streams, subscriptions } = organization
  const mayPost = (channelId: number) =>
    postingProblem(organization, { kind: 'channel', channelId, topic: '' }) === null
  const open = sortedChannels(subscriptions).filter(({ stream_id }) => mayPost(stream_id))
  const [oldest] = open
    .filter(({ stream_id }) => realm_default_streams.includes(stream_id))
    .sort((one, other) => one.stream_id - other.stream_id)
  return oldest ?? open[0]
}

function Step({ isDone, children }: { isDone: boolean; children: ReactNode }): ReactNode {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li className={isDone ? css.checklistDone : ''}>
      <Icon className="icon" aria-hidden="true" />
      {children}
      {isDone && <span className="visually-hidden">{t('(done)')}</span>}
    </li>
  )
}
