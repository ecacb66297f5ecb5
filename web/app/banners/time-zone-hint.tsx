import { type ReactNode, useState } from 'react'
import { findOwnAccount, useOrganizationPart } from '../../store/organization.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { haveSameTime } from './have-same-time.ts'

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
