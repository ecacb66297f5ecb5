import CloudOff from 'lucide-react/icons/cloud-off'
import type { ReactNode } from 'react'
import { useConnection } from '../store/connection.ts'
import { Time } from '../ui/text/time.tsx'
import './connection-banner.css'

/** Says when the server cannot be reached, and how old what one sees is. */
export function ConnectionBanner(): ReactNode {
  const connection = useConnection()
  return (
    <div className="connection" role="status">
      {connection.phase === 'offline' && (
        <p className="connection-banner">
          <CloudOff className="icon" aria-hidden="true" />
          <span>
            Reconnecting…
            {connection.asOf !== null && (
              <>
                {' '}
                Showing messages from <Time at={connection.asOf} as="clock" />.
              </>
            )}
          </span>
        </p>
      )}
      {connection.phase === 'failed' && (
        <p className="connection-banner">
          <CloudOff className="icon" aria-hidden="true" />
          <span>
            This page stopped updating. <a href={location.href}>Reload the page</a>
          </span>
        </p>
      )}
    </div>
  )
}
