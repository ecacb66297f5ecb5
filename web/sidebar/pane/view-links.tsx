import { useLinkProps, useLocation } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import AtSign from 'lucide-react/icons/at-sign'
import Clock from 'lucide-react/icons/clock'
import InboxIcon from 'lucide-react/icons/inbox'
import Layers from 'lucide-react/icons/layers'
import PencilLine from 'lucide-react/icons/pencil-line'
import SmilePlus from 'lucide-react/icons/smile-plus'
import Star from 'lucide-react/icons/star'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { EDIT_PREFIX } from '../../browser/compose-requests.ts'
import { useSavedDrafts } from '../../inbox/saved-drafts.ts'
import { unreadCounts, useTotalUnreadCount } from '../../messages/unread.ts'
import { CountPill } from '../../navigation/count-pill.tsx'
import { useOrganizationPart, useOwnId } from '../../store/organization.ts'
import { type CommandKey, shortcutLabel } from '../../store/shortcuts.ts'
import { useStoredNames } from '../../store/stored-state.ts'
import { t } from '../../text/t.ts'
import * as css from './conversation-pane.module.css'

/**
 * Links to the views that combine all conversations. With `isCollapsed`, only tooltips show the names of the views. With
 * `isElsewhere`, none of them is marked as the current page.
 */
export function ViewLinks(props: { isCollapsed: boolean; isElsewhere?: boolean; hasInbox?: boolean }): ReactNode {
  const { isCollapsed, isElsewhere = false, hasInbox = true } = props
  const location = useLocation()
  const pathname = isElsewhere ? '' : location.pathname
  return (
    <ul>
      {hasInbox && (
        <ViewLink
          to="/inbox"
          command="I"
          path={pathname}
          isCollapsed={isCollapsed}
          icon={InboxIcon}
          name={t('Inbox')}
          count={<InboxCount />}
        />
      )}
      <ViewLink to="/recent" command="t" path={pathname} isCollapsed={isCollapsed} icon={Clock} name={t('Recent')} />
      <ViewLink
        to="/combined"
        command="a"
        path={pathname}
        isCollapsed={isCollapsed}
        icon={Layers}
        name={t('Combined feed')}
      />
      <ViewLink
        to="/mentions"
        path={pathname}
        isCollapsed={isCollapsed}
        icon={AtSign}
        name={t('Mentions')}
        count={<MentionCount />}
      />
      <ViewLink
        to="/starred"
        command="*"
        path={pathname}
        isCollapsed={isCollapsed}
        icon={Star}
        name={t('Starred')}
        count={<StarredCount />}
      />
      <ViewLink to="/reactions" path={pathname} isCollapsed={isCollapsed} icon={SmilePlus} name={t('Reactions')} />
      <UnsentLink path={pathname} isCollapsed={isCollapsed} />
    </ul>
  )
}

function ViewLink(props: {
  to: string
  /** The default key of the shortcut that opens the view. */
  command?: CommandKey
  /** The path of the current page. */
  path: string
  isCollapsed: boolean
  icon: ComponentType<SVGProps<SVGSVGElement>>
  name: string
  count?: ReactNode
}): ReactNode {
  const { to, command, path, isCollapsed, icon: Icon, name, count } = props
  const keys = command && shortcutLabel(command)
  // The router would mark the link of the page that is shown until the next one has loaded.
  const link = useLinkProps({ to, className: `pane-link ${css.paneView}`, activeProps: {} })
  return (
    <li>
      <a
        {...link}
        {...(isCollapsed
          ? { 'data-tooltip': name, 'data-keys': keys }
          : { title: keys && t('Shortcut: {keys}', { keys }) })}
        aria-current={path === to || path === `${to}/` ? 'page' : undefined}
      >
        <Icon className="icon" aria-hidden="true" />
        <span className={isCollapsed ? 'visually-hidden' : css.paneLinkName}>{name}</span>
        {count}
      </a>
    </li>
  )
}

function InboxCount(): ReactNode {
  const { messages } = useTotalUnreadCount()
  return <CountPill count={{ messages, mentions: 0 }} />
}

function MentionCount(): ReactNode {
  const messages = useSelector(unreadCounts, ({ mentions }) => mentions)
  return <CountPill count={{ messages, mentions: 0 }} isLoud />
}

/** The number of starred messages, if the user wants to see it. */
function StarredCount(): ReactNode {
  const count = useOrganizationPart(({ starred_messages, user_settings }) =>
    user_settings.starred_message_counts ? starred_messages.length : 0,
  )
  return count > 0 && <span className="count-pill count-pill-quiet">{count}</span>
}

/** The link to drafts, scheduled messages and reminders, with their number. It leads to the list that has something. */
function UnsentLink({ path, isCollapsed }: { path: string; isCollapsed: boolean }): ReactNode {
  const ownId = useOwnId()
  const drafts = useSavedDrafts(ownId).length + useStoredNames(ownId, EDIT_PREFIX).length
  const scheduled = useOrganizationPart(
    ({ scheduled_messages, reminders }) => scheduled_messages.length + reminders.length,
  )
  const count = drafts + scheduled
  const to = drafts === 0 && scheduled > 0 ? '/scheduled' : '/drafts'
  return (
    <ViewLink
      to={to}
      command="d"
      path={path === '/drafts' || path === '/scheduled' ? to : path}
      isCollapsed={isCollapsed}
      icon={PencilLine}
      name={t('Drafts and scheduled')}
      count={count > 0 && <span className="count-pill count-pill-quiet">{count}</span>}
    />
  )
}
