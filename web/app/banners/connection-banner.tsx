import CloudOff from 'lucide-react/icons/cloud-off'
import type { ReactNode } from 'react'
import { useConnection } from '../../store/connection.ts'
import { Time } from '../../ui/time/time.tsx'
import './connection-banner.css'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'

/** Shows that the server cannot be reached, and how old the data on the page is. */
export function ConnectionBanner(): ReactNode {
  const connection = useConnection()
  return (
    <div className="connection" role="status">
      {connection.phase === 'offline' && (
        <p className="connection-banner">
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
        <p className="connection-banner">
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
