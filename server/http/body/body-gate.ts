import { Refusal } from '#lib/errors.ts'
import { readApiPath } from '../authentication.ts'
import type { BodyReservation } from '../budgets.ts'
import {
  type BodySender,
  type CallerServices,
  chargeBody,
  countRefusedBody,
  findBodySender,
  logRefusal,
  requireWithinLimits,
} from '../caller.ts'
import type { Services } from '../endpoint.ts'
import type { BufferedResponse, HttpRequest, ResponseHeaders } from '../http-types.ts'
import { serverBusy, toRefusalResponse } from '../refusals.ts'
import { headersForPath } from '../security-headers.ts'
import type { BodyGate, BodyPermit } from '../wire/server-context.ts'
import { MAX_UNAUTHENTICATED } from './read-body.ts'

/** Admits the bodies of requests by the limits of their senders. */
export function openBodyGate(services: CallerServices & Pick<Services, 'bodyBudget'>): BodyGate {
  async function admit(head: HttpRequest, length: number, headers: ResponseHeaders): Promise<BodyPermit> {
    const sender = await findBodySender(services, head)
    requireWithinLimits(services, sender, headers)
    requireCredentialsFor(sender, length)
    const reservation = services.bodyBudget.reserve(sender.key, length)
    if (reservation.turn === null) return toPermit(head, sender, reservation)
    await reservation.turn
    try {
      // Earlier bodies may have used up the limits.
      requireWithinLimits(services, sender, headers)
    } catch (error) {
      reservation.release()
      throw error
    }
    return toPermit(head, sender, reservation)
  }

  function toPermit(head: HttpRequest, sender: BodySender, reservation: BodyReservation): BodyPermit {
    let received = 0
    return {
      receive(bytes) {
        received += bytes
        chargeBody(services, sender, bytes)
        return refusing(head, () => {
          requireCredentialsFor(sender, received)
          if (!reservation.receive(bytes)) throw serverBusy()
        })
      },
      release: reservation.release,
    }
  }

  return {
    async admit(head, length) {
      const headers = headersForPath(head.path)
      try {
        return await admit(head, length, headers)
      } catch (error) {
        return await toLoggedResponse(head, error, headers)
      }
    },
    async refuse(head, refusal) {
      const headers = headersForPath(head.path)
      try {
        await countRefusedBody(services, head, headers)
        return await toLoggedResponse(head, refusal, headers)
      } catch (error) {
        return await toLoggedResponse(head, error, headers)
      }
    },
  }

  async function toLoggedResponse(head: HttpRequest, error: unknown, headers: ResponseHeaders) {
    if (error instanceof Refusal) await logRefusal(services, head, error)
    return toResponse(head, error, headers)
  }
}

/** Refuses an API request with a long body if its credentials are not valid. */
function requireCredentialsFor(sender: BodySender, length: number): void {
  if (sender.sender === null && sender.refusal !== null && length > MAX_UNAUTHENTICATED) throw sender.refusal
}

function refusing(head: HttpRequest, check: () => void): BufferedResponse | null {
  try {
    check()
    return null
  } catch (error) {
    return toResponse(head, error, headersForPath(head.path))
  }
}

function toResponse(head: HttpRequest, error: unknown, headers: ResponseHeaders): BufferedResponse {
  if (error instanceof Refusal) return toRefusalResponse(error, headers, readApiPath(head.path)?.authMethod)
  throw error
}
