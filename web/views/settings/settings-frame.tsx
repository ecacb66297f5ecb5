import { Link, useLocation } from '@tanstack/react-router'
import Building2 from 'lucide-react/icons/building-2'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Settings from 'lucide-react/icons/settings'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { PageHead } from '../../ui/layout/page.tsx'
import '../../ui/layout/pane-link.css'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { ChatLayout } from '../chat/chat-layout.tsx'
import { ChatHeader } from '../chat/header/chat-header.tsx'
import { HelpLink } from '../help/help-link.tsx'
import { HELP_OF_SECTION } from '../help/page-of-section.ts'
import { ORGANIZATION_SECTIONS } from '../organization/sections.ts'
import { PageFrame, TO_YOU } from '../page-frame.tsx'
import { SettingsSearch } from './search/settings-search.tsx'
import { SETTINGS_SECTIONS, type SettingsSection } from './sections.ts'
import './settings.css'
import { showLinkedSetting } from './show-linked-setting.ts'

type Area = 'settings' | 'organization'

/**
 * The frame of settings pages: a list of the user's and the organization's sections with a search, beside the section
 * that the URL names. On phones, the list of an area is a separate page. A link to a setting scrolls to it and
 * highlights it.
 */
export function SettingsFrame(props: {
  area: Area
  /** The name of the area. */
  title: string
  /** The sections of the area. */
  sections: readonly SettingsSection[]
  /** Null on the page with the list of sections. */
  section: SettingsSection | null
  children?: ReactNode
}): ReactNode {
  const { area, title, sections, section, children } = props
  const { realm_name } = useOrganization()
  const isPhone = useMedia(PHONE)
  const content = useRef<HTMLDivElement>(null)
  useLinkedSetting(content)
  const icon = area === 'settings' ? <Settings className="icon" /> : <Building2 className="icon" />
  if (section === null)
    return (
      <PageFrame title={title} within={realm_name} back={TO_YOU}>
        <SettingsSide areas={[{ area, title, heading: null, sections }]} hasArrows />
      </PageFrame>
    )
  const help = <HelpLink page={HELP_OF_SECTION[area][section.id]} about={section.label} />
  return (
    <ChatLayout>
      <ChatHeader
        title={section.label}
        within={realm_name}
        icon={icon}
        {...(isPhone
          ? { actions: help, back: { to: `/${area}`, label: t('Back to {page}', { page: title }) } }
          : { shownTitle: title, about: section.label, hasHeadingBelow: true })}
      />
      <div className="settings">
        {!isPhone && <AllSections />}
        <div ref={content} className="page settings-page">
          <div className={section.isWide ? 'settings-wide' : 'settings-content'}>
            {isPhone ? (
              <p className="soft settings-about">{section.about}</p>
            ) : (
              <PageHead title={section.label} actions={help}>
                <p>{section.about}</p>
              </PageHead>
            )}
            {children}
          </div>
        </div>
      </div>
    </ChatLayout>
  )
}

/** The sections of the user and those of the organization that the user may see. */
function AllSections(): ReactNode {
  const { realm_name, is_admin, is_guest } = useOrganization()
  const organization = ORGANIZATION_SECTIONS.filter(({ isForAll }) => is_admin || (isForAll && !is_guest))
  return (
    <SettingsSide
      areas={[
        { area: 'settings', title: t('Settings'), heading: t('You'), sections: SETTINGS_SECTIONS },
        ...(organization.length > 0
          ? [{ area: 'organization' as const, title: t('Organization'), heading: realm_name, sections: organization }]
          : []),
      ]}
    />
  )
}

type ListedArea = { area: Area; title: string; heading: string | null; sections: readonly SettingsSection[] }

function SettingsSide({ areas, hasArrows = false }: { areas: readonly ListedArea[]; hasArrows?: boolean }): ReactNode {
  const [query, setQuery] = useState('')
  return (
    <div className="settings-side" data-pane>
      <SettingsSearch query={query} onQuery={setQuery} />
      {query.trim() === '' &&
        areas.map(({ area, title, heading, sections }) => (
          <nav key={area} className="settings-sections" aria-label={title}>
            {heading !== null && (
              <p className="settings-area" aria-hidden="true">
                {heading}
              </p>
            )}
            {sections.map(({ id, label, icon: Icon }) => (
              <Link key={id} to={`/${area}/${id}` as string} className="pane-link">
                <Icon className="icon" aria-hidden="true" />
                {label}
                {hasArrows && <ChevronRight className="icon flips" aria-hidden="true" />}
              </Link>
            ))}
          </nav>
        ))}
    </div>
  )
}

/** Shows the setting that the search parameter `setting` names. */
function useLinkedSetting(content: { current: HTMLElement | null }): void {
  const { search, state, pathname } = useLocation()
  const { setting } = search as { setting?: string }
  // A link that is followed again shows the setting again.
  const key = state.__TSR_key ?? pathname
  useEffect(() => {
    if (setting === undefined || content.current === null || key === '') return
    return showLinkedSetting(content.current, setting)
  }, [setting, key, content])
}
