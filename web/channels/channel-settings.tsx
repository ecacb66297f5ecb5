import { Link, Navigate, useParams } from '@tanstack/react-router'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import EyeOff from 'lucide-react/icons/eye-off'
import Hash from 'lucide-react/icons/hash'
import KeyRound from 'lucide-react/icons/key-round'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import Users from 'lucide-react/icons/users'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { useOrganization } from '../store/organization.ts'
import { PageHead } from '../ui/titles.tsx'
import '../ui/pane-link.css'
import * as settingsCss from '../forms/settings.module.css'
import { HelpLink } from '../help/help-link.tsx'
import { ChannelIcon } from '../navigation/conversation-name.tsx'
import * as pageCss from '../navigation/page.module.css'
import { ChatHeader, ChatLayout, EmptyPage, NotFound } from '../navigation/page.tsx'
import { t } from '../text/t.ts'
import { PrivacyIcon } from './channel-row.tsx'
import { JoinLeave } from './join-leave.tsx'
import { findListedChannel, type ListedChannel } from './listing.ts'
import { General } from './settings/general.tsx'
import { ChannelPermissions } from './settings/permissions.tsx'
import { Personal } from './settings/personal.tsx'
import { Subscribers } from './settings/subscribers.tsx'

type Section = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  content: ComponentType<{ known: ListedChannel }>
  /** True if the section is about the user's own subscription. */
  needsSubscription?: boolean
}

const SECTIONS: readonly Section[] = [
  {
    id: 'general',
    label: t('General'),
    about: t('The channel’s name and description.'),
    icon: Hash,
    content: General,
  },
  {
    id: 'personal',
    label: t('Personal'),
    about: t('Settings that only affect you.'),
    icon: SlidersHorizontal,
    content: Personal,
    needsSubscription: true,
  },
  {
    id: 'subscribers',
    label: t('Subscribers'),
    about: t('People who get the channel’s messages.'),
    icon: Users,
    content: Subscribers,
  },
  {
    id: 'permissions',
    label: t('Permissions'),
    about: t('Permissions to see, join and use the channel.'),
    icon: KeyRound,
    content: ChannelPermissions,
  },
]

/** The settings of a channel, one section at a time. */
export function ChannelSettings(): ReactNode {
  const { channelId, section: id } = useParams({ from: '/channels/$channelId/settings/$section' })
  const organization = useOrganization()
  const known = findListedChannel(organization, Number(channelId))
  if (known === undefined) return <NoChannel />
  if (!SECTIONS.some((one) => one.id === id)) return <NotFound />
  const sections = SECTIONS.filter(({ needsSubscription }) => !needsSubscription || known.subscription !== null)
  const section = sections.find((one) => one.id === id)
  const to = '/channels/$channelId/settings/$section' as const
  if (section === undefined) return <Navigate to={to} params={{ channelId, section: 'general' }} replace />
  const Content = section.content
  const { channel } = known
  return (
    <ChatLayout>
      <ChatHeader
        title={section.label}
        within={`${channel.name} · ${organization.realm_name}`}
        icon={known.subscription === null ? <PrivacyIcon channel={channel} /> : <ChannelIcon channel={channel} />}
        shownTitle={
          known.subscription === null ? (
            channel.name
          ) : (
            <Link to="/channels/$channelId" params={{ channelId }} className={pageCss.chatHeaderLink}>
              {channel.name}
            </Link>
          )
        }
        about={t('Channel settings')}
        hasHeadingBelow
        back={{ to: '/channels', label: t('Back to {page}', { page: t('Channels') }) }}
        actions={<JoinLeave known={known} />}
      />
      <div className={`${settingsCss.settings} ${settingsCss.settingsLines}`}>
        <div className={settingsCss.settingsSide} data-pane>
          <nav className={settingsCss.settingsSections} aria-label={t('Settings for {name}', { name: channel.name })}>
            <Link to="/channels" className="pane-link" activeOptions={{ exact: true, includeSearch: false }}>
              <ArrowLeft className="icon" aria-hidden="true" />
              {t('All channels')}
            </Link>
            {sections.map(({ id, label, icon: Icon }) => (
              <Link key={id} to={to} params={{ channelId, section: id }} className="pane-link">
                <Icon className="icon" aria-hidden="true" />
                {label}
              </Link>
            ))}
          </nav>
        </div>
        <div className={`${pageCss.page} ${settingsCss.settingsPage}`}>
          <div className={settingsCss.settingsContent}>
            <PageHead
              title={section.label}
              actions={<HelpLink page="change-a-channel" about={t('Channel settings')} />}
            >
              <p>{section.about}</p>
            </PageHead>
            <Content key={channel.stream_id} known={known} />
          </div>
        </div>
      </div>
    </ChatLayout>
  )
}

function NoChannel(): ReactNode {
  return (
    <EmptyPage icon={<EyeOff />} title={t('Channel unavailable')}>
      <p>{t('It doesn’t exist, or it’s private and you’re not subscribed.')}</p>
      <Link to="/channels" className="button button-primary">
        {t('Browse channels')}
      </Link>
    </EmptyPage>
  )
}
