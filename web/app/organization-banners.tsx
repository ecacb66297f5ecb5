import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Hourglass from 'lucide-react/icons/hourglass'
import ShieldAlert from 'lucide-react/icons/shield-alert'
import { type ReactNode, useState } from 'react'
import { mustHaveSecondFactor } from '#rules/role.ts'
import { isTwoStepOn, secondFactorsQuery } from '../forms/current-password.tsx'
import { findOwnAccount, useOrganization, useOrganizationPart } from '../store/organization.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import * as css from './banners.module.css'

const DAY = 86_400

const KEY = 'parley.second-factor-put-off'

const today = () => new Date().toDateString()

/** The banners about the organization: the end of a demo, and a second factor that the user must set up. */
export function OrganizationBanners(): ReactNode {
  const { demo_organization_scheduled_deletion_date: endsAt, realm_second_factor_required_for: required } =
    useOrganization('demo_organization_scheduled_deletion_date', 'realm_second_factor_required_for')
  const self = useOrganizationPart(findOwnAccount)
  const [isDemoClosed, closeDemo] = useState(false)
  const [isFactorClosed, closeFactor] = useState(false)
  return (
    <>
      {endsAt !== undefined && !isDemoClosed && <DemoBanner endsAt={endsAt} onClose={() => closeDemo(true)} />}
      {self !== undefined && mustHaveSecondFactor(self, required) && !isFactorClosed && (
        <SecondFactorBanner onClose={() => closeFactor(true)} />
      )}
    </>
  )
}

/** Says how many days of a demo organization are left, and leads owners to the page that makes it permanent. */
function DemoBanner({ endsAt, onClose }: { endsAt: number; onClose: () => void }): ReactNode {
  const { is_owner } = useOrganization('is_owner')
  const days = Math.max(0, Math.ceil((endsAt - Date.now() / 1000) / DAY))
  return (
    <section className={`${css.connectionBanner} ${css.demoBanner}`} aria-label={t('Demo organization')}>
      <Hourglass className="icon" aria-hidden="true" />
      <span>{t('This demo organization ends in {days, plural, one {# day} other {# days}}.', { days })}</span>
      {is_owner && (
        <Link
          to="/organization/$section"
          params={{ section: 'profile' }}
          search={{ setting: 'keep-demo' }}
          className="button"
        >
          {t('Keep it')}
        </Link>
      )}
      <Button kind="quiet" onPress={onClose}>
        {t('Not now')}
      </Button>
    </section>
  )
}

/** Reminds users who must set up a second factor. They can put it off until the next day. */
function SecondFactorBanner({ onClose }: { onClose: () => void }): ReactNode {
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
