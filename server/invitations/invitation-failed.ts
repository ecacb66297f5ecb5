import { refusal } from '../platform/errors/refusal.ts'

/** An address that was not invited, why, and whether it is that of a deactivated account. */
export type SkippedAddress = [email: string, reason: string, isDeactivatedAccount: boolean]

type Failure = {
  reason: string
  errors?: readonly SkippedAddress[]
  /** Whether the other addresses were invited all the same. */
  sent_invitations?: boolean
  daily_limit_reached?: boolean
  license_limit_reached?: boolean
}

/** Some addresses, or all, could not be invited. */
export const invitationFailed = refusal('INVITATION_FAILED', 400, '{reason}', (failure: Failure) => ({
  errors: failure.errors ?? [],
  sent_invitations: failure.sent_invitations ?? false,
  daily_limit_reached: failure.daily_limit_reached ?? false,
  license_limit_reached: failure.license_limit_reached ?? false,
}))
