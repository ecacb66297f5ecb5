import { Link, Navigate } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Building2 from 'lucide-react/icons/building-2'
import ChevronRight from 'lucide-react/icons/chevron-right'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import CircleUser from 'lucide-react/icons/circle-user'
import EyeOff from 'lucide-react/icons/eye-off'
import Hash from 'lucide-react/icons/hash'
import LogOut from 'lucide-react/icons/log-out'
import Mails from 'lucide-react/icons/mails'
import Plug from 'lucide-react/icons/plug'
import Send from 'lucide-react/icons/send'
import Settings from 'lucide-react/icons/settings'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import Smile from 'lucide-react/icons/smile'
import SunMoon from 'lucide-react/icons/sun-moon'
import UserPlus from 'lucide-react/icons/user-plus'
import Users from 'lucide-react/icons/users'
import UsersRound from 'lucide-react/icons/users-round'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { PageFrame } from '../navigation/page.tsx'
import { StatusEmoji } from '../people/person-icon.tsx'
import { presenceText } from '../people/person-row.ts'
import { EndTime } from '../scheduling/end-time.tsx'
import { useOrganization } from '../store/organization.ts'
import { useOwnSettings } from '../store/own-settings.ts'
import { roleName } from '../store/people.ts'
import { usePresence } from '../store/presence.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { useMinute } from '../ui/moments.ts'
import { PHONE, useMedia } from '../ui/use-media.ts'
import { useAccountDialogs, useLogOut } from './account-menu.tsx'
import { THEMES, useOrganizationPages } from './menu-items.tsx'
import * as css from './you.module.css'

type Icon = ComponentType<SVGProps<SVGSVGElement>>

const PAGE_ICONS: Readonly<Record<string, Icon>> = {
  '/channels': Hash,
  '/people': Users,
  '/invitations': Send,
  '/outbox': Mails,
  '/add-integration': Plug,
  '/organization/people': Building2,
  '/organization/groups': UsersRound,
  '/organization/emoji': Smile,
}

/** The page about the user on phones: status, settings, the pages of the organization, and logging out. */
export function You(): ReactNode {
  const { realm_name, user_id } = useOrganization('realm_name', 'user_id')
  const { logOut, dialog } = useLogOut(user_id)
  const { invites, pages } = useOrganizationPages()
  const [{ color_scheme: scheme }] = useOwnSettings()
  if (!useMedia(PHONE)) return <Navigate to="/settings" replace />
  return (
    <PageFrame
      isSunken
      title={t('You')}
      within={realm_name}
      actions={
        <Link to="/settings" className="button button-quiet button-round" aria-label={t('Settings')}>
          <Settings className="icon" aria-hidden="true" />
        </Link>
      }
    >
      <div className={css.you}>
        <Head />
        <Availability />
        <ul className={css.youGroup} aria-label={t('Settings')}>
          <PageRow to="/settings/profile" icon={CircleUser} label={t('Your profile')} />
          <PageRow to="/settings/notifications" icon={Bell} label={t('Notifications')} />
          <PageRow
            to="/settings/preferences"
            search={{ setting: 'color_scheme' }}
            icon={SunMoon}
            label={t('Theme')}
            value={THEMES.find(({ id }) => id === scheme)?.label}
          />
          <PageRow to="/settings/preferences" icon={SlidersHorizontal} label={t('Preferences')} />
        </ul>
        <ul className={css.youGroup} aria-label={realm_name}>
          {invites !== null && (
            <PageRow to="." search={{ invite: invites }} icon={UserPlus} label={t('Invite people')} />
          )}
          {pages.map(({ to, label }) => (
            <PageRow
              key={to}
              to={to === '/organization/people' ? '/organization' : to}
              icon={PAGE_ICONS[to] ?? Building2}
              label={label}
            />
          ))}
          <PageRow to="/help" icon={CircleQuestionMark} label={t('Help')} />
        </ul>
        <ul className={css.youGroup}>
          <ActionRow icon={LogOut} label={t('Log out')} onClick={logOut} />
        </ul>
      </div>
      {dialog}
    </PageFrame>
  )
}

/** The user's picture, name, presence, address and role. */
function Head(): ReactNode {
  const { user_id, full_name, avatar_url_medium, delivery_email, realm_users } = useOrganization(
    'user_id',
    'full_name',
    'avatar_url_medium',
    'delivery_email',
    'realm_users',
  )
  const presence = usePresence(user_id)
  const now = useMinute()
  const role = realm_users.find((one) => one.user_id === user_id)?.role
  const availability = presence === null ? '' : presenceText(presence, now)
  return (
    <div className={css.youHead}>
      <Avatar id={user_id} name={full_name} url={avatar_url_medium} presence={presence?.kind ?? null} />
      <div>
        <h2 dir="auto">{full_name}</h2>
        <p className="soft small">
          {[delivery_email, role !== undefined && roleName(role)].filter(Boolean).join(' · ')}
        </p>
        {availability !== '' && (
          <p className="soft small">{availability.charAt(0).toUpperCase() + availability.slice(1)}</p>
        )}
      </div>
    </div>
  )
}

function Availability(): ReactNode {
  const { user_id, user_status, realm_presence_disabled } = useOrganization(
    'user_id',
    'user_status',
    'realm_presence_disabled',
  )
  const { open, dialogs } = useAccountDialogs()
  const [settings, change] = useOwnSettings()
  const status = user_status[user_id]
  const isPaused = settings.do_not_disturb_until > useMinute()
  const isHidden = settings.presence_enabled === false
  return (
    <ul className={css.youGroup} aria-label={t('Availability')}>
      <ActionRow
        icon={Smile}
        label={
          status === undefined ? (
            t('Set status…')
          ) : (
            <span dir="auto">
              <span className="visually-hidden">{t('Change status…')}</span> <StatusEmoji status={status} />{' '}
              {status.status_text ?? status.emoji_name}
            </span>
          )
        }
        value={status?.scheduled_end_time != null && <EndTime at={status.scheduled_end_time} />}
        hasMore
        onClick={() => open('status')}
      />
      <ActionRow
        icon={isPaused ? Bell : BellOff}
        label={isPaused ? t('Resume notifications') : t('Pause notifications…')}
        hasMore={!isPaused}
        onClick={() => (isPaused ? change({ do_not_disturb_until: 0 }) : open('notifications'))}
      />
      {!realm_presence_disabled && (
        <ActionRow
          icon={EyeOff}
          label={isHidden ? t('Show my availability') : t('Hide my availability…')}
          hasMore={!isHidden}
          onClick={() =>
            isHidden ? change({ presence_enabled: true, presence_hidden_until: 0 }) : open('availability')
          }
        />
      )}
      {dialogs}
    </ul>
  )
}

function PageRow(props: {
  to: string
  search?: object
  icon: Icon
  label: string
  value?: string | undefined
}): ReactNode {
  const { to, search = {}, icon: Icon, label, value } = props
  return (
    <li>
      <Link to={to as '/'} search={search} className={css.youRow}>
        <Icon className="icon" aria-hidden="true" />
        <span className={css.youLabel}>{label}</span>
        {value !== undefined && <span className="soft small">{value}</span>}
        <ChevronRight className="icon flips" aria-hidden="true" />
      </Link>
    </li>
  )
}

function ActionRow(props: {
  icon: Icon
  label: ReactNode
  value?: ReactNode
  /** True if the row opens a dialog. */
  hasMore?: boolean
  onClick: () => void
}): ReactNode {
  const { icon: Icon, label, value, hasMore = false, onClick } = props
  return (
    <li>
      <button type="button" className={css.youRow} onClick={onClick}>
        <Icon className="icon" aria-hidden="true" />
        <span className={css.youLabel}>{label}</span>
        {value != null && value !== false && <span className="soft small">{value}</span>}
        {hasMore && <ChevronRight className="icon flips" aria-hidden="true" />}
      </button>
    </li>
  )
}
