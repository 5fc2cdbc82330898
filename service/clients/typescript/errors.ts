/** What a call to the service can reject with; `generated.ts` has a class for each `error.type`. */

export interface ErrorFact {
  type?: string
  message?: string
  request_id?: string | null
  details?: { field: string; message: string; type: string }[]
}

/** Base of everything that the client rejects with. */
export class ClientError extends Error {
  constructor(message: string) {
    super(message)
    this.name = new.target.name
  }
}

/** The service could not be reached, or did not answer with JSON. */
export class ConnectionFailedError extends ClientError {}

/** The work was not done in time; go on waiting with its ticket. */
export class NotDoneError extends ClientError {
  readonly ticket: { poll: string }

  constructor(ticket: { poll: string }, seconds: number) {
    super(`not done after ${seconds} s; go on with ${ticket.poll}`)
    this.ticket = ticket
  }
}

/** The ingest of a video failed; its record says why. */
export class VideoFailedError extends ClientError {
  readonly record: { video_id: string; reason?: string }

  constructor(record: { video_id: string; reason?: string }) {
    super(`${record.video_id}: ${record.reason ?? "the ingest failed"}`)
    this.record = record
  }
}

/** A webhook that is not genuine. */
export class WebhookError extends ClientError {}

/** The service refused a call. */
export class ApiError extends ClientError {
  readonly status: number
  readonly type: string
  readonly requestId: string | null
  readonly details: { field: string; message: string; type: string }[]
  /** s to wait before the next request */
  readonly retryAfter: number | undefined

  constructor(status: number, error: ErrorFact, retryAfter?: number) {
    super(`${error.type}: ${error.message} (request ${error.request_id})`)
    this.status = status
    this.type = error.type ?? "error"
    this.requestId = error.request_id ?? null
    this.details = error.details ?? []
    this.retryAfter = retryAfter
  }
}
