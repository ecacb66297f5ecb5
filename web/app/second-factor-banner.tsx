import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import ShieldAlert from 'lucide-react/icons/shield-alert'
import { type ReactNode, useState } from 'react'
import { isTwoStepOn, secondFactorsQuery } from '../forms/current-password.tsx'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import * as css from './banners.module.css'

const KEY = 'parley.second-factor-put-off'

const today = () => new Date().toDateString()

/** Reminds users who must set up a second factor. They can put it off until the next day. */
export function SecondFactorBanner({ onClose }: { onClose: () => void }): ReactNode {
  const { data } = useQuery(secondFactorsQuery)
  const [isPutOff] = useState(wasPutOff)
  if (isPutOff || data === undefined || data.due_at === null || isTwoStepOn(data)) return null
  return (
    <section className={`${css.connectionBanner} ${css.secondFactorBanner}`} aria-label={t('Two-step login')}>
      <ShieldAlert className="icon" aria-hidden="true" />
      <span>{rich('Set up two-step login by {time}.', { time: <Time at={data.due_at} as="absolute" /> })}</span>
      <Link to="/settings/$section" params={{ section: 'security' }} className="button">
        {t('Set up')}
      </Link>
      <Button
        kind="quiet"
        onPress={() => {
          rememberPutOff()
          onClose()
        }}
      >
        {t('Remind me tomorrow')}
      </Button>
    </section>
  )
}

function wasPutOff(): boolean {
  try {
    return localStorage.getItem(KEY) === today()
  } catch {
    return false
  }
}

function rememberPutOff(): void {
  try {
    localStorage.setItem(KEY, today())
  } catch {
    // Without storage, the next page asks again.
  }
}
