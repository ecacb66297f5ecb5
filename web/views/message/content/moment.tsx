import Clock from 'lucide-react/icons/clock'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { formatMoment, formatMomentFully } from '../../../ui/time/format-moment.ts'

/** A time in a message, shown in the reader's time zone and format. */
export function Moment({ iso }: { iso: string }): ReactNode {
  const { twenty_four_hour_time } = useOrganization().user_settings
  const at = Date.parse(iso)
  return (
    <time className="moment" dateTime={iso} title={formatMomentFully(at, twenty_four_hour_time)}>
      <Clock className="icon" aria-hidden="true" />
      {formatMoment(at, Date.now(), twenty_four_hour_time)}
    </time>
  )
}
