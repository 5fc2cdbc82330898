/* oxlint-disable no-await-in-loop -- a poll follows the last one, a retry the refusal */
/**
 * The client of the service, on `fetch` and without dependencies.
 *
 *     const client = new Client("https://api.example.com", apiKey)
 *     const video = await client.ingestBytes("video.mp4", bytes)
 *     const loop = await client.loop({ video_id: video.video_id, track_id })
 *
 * Methods named like the operations of the description answer what the endpoint answers. `loop`, `align`, `match` and
 * `beats` submit and wait for the result; `wait` waits for a ticket. A refusal rejects with the class of its
 * `error.type`. A request that was refused for its rate is sent again after `Retry-After`; one that did not get through,
 * met a 503, or a 502 or 504 of a proxy, only where a repeat is harmless: a GET, or a call with an idempotency key, unless
 * it has a `video_url`: each such call makes a video. A wait goes on through all of these until its time is up.
 */

import { ApiError, ConnectionFailedError, NotDoneError, VideoFailedError } from "./errors.ts"
import type { ErrorFact } from "./errors.ts"
import { ERRORS, Operations, RateLimitedError, ServiceUnavailableError } from "./generated.ts"
import type { Call, UploadReceipt, UploadTarget, VideoJob, VideoRecord } from "./generated.ts"

export * from "./errors.ts"
export * from "./generated.ts"
export * from "./webhooks.ts"

// s between polls; a poll's Retry-After is the least
const FIRST_PAUSE = 2
const LONGEST_PAUSE = 15
const GROWTH = 1.4
const REQUEST_SECONDS = 60
const UPLOAD_SECONDS = 3600
const RETRIES = 3
// of a poll: the work goes on, and so does the wait
const PASSING = [ConnectionFailedError, ServiceUnavailableError, RateLimitedError]

export interface Ticket {
  poll: string
  job_id?: string
  video_id?: string
}

interface Answer {
  response: Response
  body: Record<string, unknown>
}

export class Client extends Operations {
  readonly #baseUrl: string
  readonly #apiKey: string
  readonly #fetch: typeof fetch

  /**
   * `baseUrl` is without `/v1`; a TypeError says that it is no address of a service. `fetcher` may replace `fetch`, such as
   * by one that uses a proxy.
   */
  constructor(baseUrl: string, apiKey: string, fetcher: typeof fetch = fetch) {
    super()
    this.#baseUrl = serviceAddress(baseUrl)
    this.#apiKey = apiKey
    this.#fetch = fetcher
  }

  async #send(method: string, path: string, call: Call = {}, retries: number = RETRIES): Promise<Answer> {
    const query = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined && value !== null)
    const parameters = new URLSearchParams(query.map(([name, value]) => [name, String(value)]))
    // what no header can carry throws here, and is not taken for a service that cannot be reached
    const headers = new Headers({ Authorization: `Bearer ${this.#apiKey}` })
    if (call.body !== undefined) headers.set("Content-Type", "application/json")
    if (call.idempotencyKey !== undefined) headers.set("Idempotency-Key", call.idempotencyKey)
    const makesVideo = (call.body as Record<string, unknown> | undefined)?.video_url !== undefined
    const harmless = method === "GET" || (call.idempotencyKey !== undefined && !makesVideo)
    const address = `${this.#baseUrl}${path}${query.length > 0 ? `?${parameters}` : ""}`
    for (let left = retries; ; left -= 1) {
      let response: Response
      try {
        response = await this.#fetch(address, {
          method,
          headers,
          body: call.body === undefined ? undefined : JSON.stringify(call.body),
          signal: AbortSignal.timeout(REQUEST_SECONDS * 1000),
        })
      } catch (error) {
        if (left === 0 || !harmless) throw new ConnectionFailedError(`the service cannot be reached (${error})`)
        await sleep(FIRST_PAUSE)
        continue
      }
      const again = response.status === 429 || (harmless && isPassing(response))
      if (!again || left === 0) return { response, body: await jsonOf(response) }
      await response.body?.cancel()
      await sleep(retryAfter(response) ?? FIRST_PAUSE)
    }
  }

  protected async call(method: string, path: string, call: Call = {}): Promise<unknown> {
    return answered(await this.#send(method, path, call))
  }

  protected async complete(method: string, path: string, seconds: number, call: Call): Promise<unknown> {
    const end = Date.now() + seconds * 1000
    let given = call.body as Record<string, unknown>
    for (;;) {
      const found = (await this.call(method, path, { ...call, body: given })) as Record<string, unknown>
      if (found.status !== "processing" || typeof found.poll !== "string") return found
      const ticket = found as unknown as Ticket
      const settled = await this.wait(ticket, Math.max(0, (end - Date.now()) / 1000), call.query)
      if (ticket.job_id !== undefined) return settled
      // the video is ready: an address to fetch it from becomes its id
      const { video_url: _, ...kept } = given
      given = { ...kept, video_id: ticket.video_id }
    }
  }

  /**
   * Wait for the work of a ticket: the result of the job, or the record of the video; also while the service cannot be
   * reached or refuses polls for their rate. `query` has parameters of the job's polls, such as `expand`, which no job
   * remembers.
   */
  async wait(ticket: Ticket, seconds: number = 600, query: Record<string, unknown> = {}): Promise<unknown> {
    const end = Date.now() + seconds * 1000
    let pause = FIRST_PAUSE
    let next = FIRST_PAUSE
    for (;;) {
      if (Date.now() + next * 1000 > end) throw new NotDoneError(ticket, seconds)
      await sleep(next)
      let answer: Answer
      let body: Record<string, unknown>
      try {
        answer = await this.#send("GET", ticket.poll, ticket.job_id === undefined ? {} : { query }, 0)
        body = answered(answer)
      } catch (error) {
        if (!PASSING.some((kind) => error instanceof kind)) throw error
        next = Math.max(FIRST_PAUSE, (error instanceof ApiError ? error.retryAfter : undefined) ?? 0)
        continue
      }
      if (answer.response.status === 202 || body.status === "processing") {
        pause = Math.min(LONGEST_PAUSE, pause * GROWTH)
        next = Math.max(pause, retryAfter(answer.response) ?? 0)
        continue
      }
      if (body.status === "failed") throw new VideoFailedError(body as unknown as VideoRecord)
      return body
    }
  }

  /** Send the bytes of a video to the target that `createVideo` gave. */
  async upload(target: UploadTarget, content: Blob | Uint8Array<ArrayBuffer>): Promise<UploadReceipt> {
    let response: Response
    try {
      response = await this.#fetch(target.upload_url, {
        method: target.method,
        headers: target.headers,
        body: content,
        signal: AbortSignal.timeout(UPLOAD_SECONDS * 1000),
      })
    } catch (error) {
      throw new ConnectionFailedError(`the upload did not get through (${error})`)
    }
    return answered({ response, body: await jsonOf(response) }) as unknown as UploadReceipt
  }

  /** Upload a video and wait until it is ready. */
  async ingestBytes(
    filename: string,
    content: Blob | Uint8Array<ArrayBuffer>,
    options: { contentType?: string; seconds?: number } = {},
  ): Promise<VideoRecord> {
    const body = { filename, content_type: options.contentType ?? "video/mp4" }
    const target = (await this.createVideo(body)) as UploadTarget
    await this.upload(target, content)
    const ticket: VideoJob = await this.ingestVideo(target.video_id, { storage_key: target.storage_key })
    return (await this.wait(ticket, options.seconds ?? 600)) as VideoRecord
  }
}

/** The address without a slash at its end; no call to another one would arrive. */
function serviceAddress(baseUrl: string): string {
  const address = baseUrl.replace(/\/+$/, "")
  if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address) || address.endsWith("/v1")) {
    throw new TypeError(`${JSON.stringify(baseUrl)} must be an address such as https://music.example, without /v1`)
  }
  return address
}

function answered({ response, body }: Answer): Record<string, unknown> {
  if (response.ok) return body
  const facts = (body.error ?? {}) as ErrorFact
  throw new (ERRORS[facts.type ?? ""] ?? ApiError)(response.status, facts, retryAfter(response))
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  try {
    return (await response.json()) as Record<string, unknown>
  } catch {
    throw new ConnectionFailedError(`status ${response.status} without JSON: not the service's answer`)
  }
}

/** Whether the service cannot be used now; a proxy says so without JSON, and a job's fault is JSON. */
function isPassing(response: Response): boolean {
  const isJson = response.headers.get("content-type")?.includes("json") ?? false
  return response.status === 503 || ((response.status === 502 || response.status === 504) && !isJson)
}

function retryAfter(response: Response): number | undefined {
  const told = response.headers.get("retry-after")
  return told !== null && /^\d+$/.test(told) ? Number(told) : undefined
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
