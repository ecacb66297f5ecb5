import CloudOff from 'lucide-react/icons/cloud-off'
import { type ReactNode, useState } from 'react'
import { mustHaveSecondFactor } from '#rules/role.ts'
import { useConnection } from '../store/connection.ts'
import { findOwnAccount, useOrganizationPart } from '../store/organization.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { haveSameTime } from '../ui/moments.ts'
import { Time } from '../ui/time.tsx'
import * as css from './banners.module.css'

/** Shows that the server cannot be reached, and how old the data on the page is. */
export function ConnectionBanner(): ReactNode {
  const connection = useConnection()
  return (
    <div role="status">
      {connection.phase === 'offline' && (
        <p className={css.connectionBanner}>
          <CloudOff className="icon" aria-hidden="true" />
          <span>
            {connection.asOf === null
              ? t('Reconnecting…')
              : rich('Reconnecting… Showing messages as of {time}.', {
                  time: <Time at={connection.asOf} as="short" />,
                })}
          </span>
        </p>
      )}
      {connection.phase === 'failed' && (
        <p className={css.connectionBanner}>
          <CloudOff className="icon" aria-hidden="true" />
          <span>
            {rich('This page stopped updating. <link>Reload the page</link>', {
              link: (children) => <a href={location.href}>{children}</a>,
            })}
          </span>
        </p>
      )}
    </div>
  )
}

const OrganizationBanners = lazyPart(async () => (await import('./organization-banners.tsx')).OrganizationBanners, {
  isHint: true,
})

/** Reminds users that their organization requires a second factor, or that it is a demo. */
export function OrganizationHints(): ReactNode {
  const hasHint = useOrganizationPart((organization) => {
    const self = findOwnAccount(organization)
    return (
      organization.demo_organization_scheduled_deletion_date !== undefined ||
      (self !== undefined && mustHaveSecondFactor(self, organization.realm_second_factor_required_for))
    )
  })
  const [isClosed, setClosed] = useState(false)
  return hasHint && !isClosed ? <OrganizationBanners onClose={() => setClosed(true)} /> : null
}

const TimeZoneBanner = lazyPart(async () => (await import('./time-zone-banner.tsx')).TimeZoneBanner, { isHint: true })

const KEY = 'parley.time-zone-kept'

/**
 * Asks the user to update the time zone of the profile if the computer is in another one. Asks only users who have set
 * a time zone, and asks again only when the computer is in yet another one.
 */
export function TimeZoneHint(): ReactNode {
  const isWanted = useOrganizationPart(({ user_settings }) => user_settings.web_suggest_update_timezone)
  const zone = useOrganizationPart((organization) => findOwnAccount(organization)?.timezone ?? '')
  const [here] = useState(() => new Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [isDismissed, setDismissed] = useState(() => wasDismissed(here))
  if (!isWanted || isDismissed || zone === '' || haveSameTime(zone, here, Date.now())) return null
  return (
    <TimeZoneBanner
      zone={zone}
      here={here}
      onClose={() => {
        rememberDismissed(here)
        setDismissed(true)
      }}
    />
  )
}

function wasDismissed(here: string): boolean {
  try {
    return localStorage.getItem(KEY) === here
  } catch {
    return false
  }
}

function rememberDismissed(here: string): void {
  try {
    localStorage.setItem(KEY, here)
  } catch {
    // Without storage, the next page asks again.
  }
}
