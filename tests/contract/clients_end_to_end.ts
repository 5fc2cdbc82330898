// The end-to-end script of the TypeScript client; `test_clients.py` runs it and the Python ones, and compares.
// Arguments: service, key, webhook secret, sound address, video file, module of the client. Prints one JSON object.
import { readFile } from "node:fs/promises"

const [url, key, secret, audio, path, module] = process.argv.slice(2)
const { Client, ApiError, signWebhook, verifyWebhook, WebhookError } = await import(module)

async function refused(call) {
  try {
    await call
  } catch (error) {
    return error instanceof ApiError ? [error.name, error.status, error.details.map((one) => one.field)] : [error.name]
  }
  return []
}

const client = new Client(url, key)
const video = await client.ingestBytes("short.mp4", new Uint8Array(await readFile(path)))
const pair = { video_id: "vid_long", track_id: "trk_corner" }
const loop = await client.loop(pair)
const align = await client.align(pair)
const lane = (await client.match({ video_id: "vid_long" }, { expand: "full" })).lane
const script = (await client.submitUnderscore({ script: "A quiet morning by the sea." })).lane
const options = { idempotencyKey: "once" }
const first = await client.submitBeats({ audio_url: audio, track_id: "mine" }, options)
const again = await client.submitBeats({ audio_url: audio, track_id: "mine" }, options)
const grid = await client.wait(first)

const body = JSON.stringify({ type: "spend_cap.set", data: { account: "nobody", amount_usd: 5 } })
const headers = await signWebhook(secret, `msg_${crypto.randomUUID()}`, body)
const route = `${url}/v1/webhooks/billing/unknown`.replace("unknown", "credit")
const event = await verifyWebhook(secret, headers, body)
const sent = await fetch(route, { method: "POST", body, headers: { ...headers, "Content-Type": "application/json" } })
let forged = ""
try {
  await verifyWebhook(secret, headers, `${body} `)
} catch (error) {
  forged = error instanceof WebhookError ? error.message : "?"
}

console.log(
  JSON.stringify({
    video: [video.status, video.ready],
    loop: [loop.applicable, loop.plan.end_label, loop.plan.bars],
    align: [align.status, align.sync_points.length],
    match: [lane.matches.length, lane.candidate_pool.length],
    underscore: script.matches.length,
    beats: [first.job_id === again.job_id, grid.status, grid.track_id, grid.downbeats.length],
    missing: await refused(client.getVideo("nobody/at all")),
    invalid: await refused(client.submitLoop({ video_id: "vid_long" })),
    stranger: await refused(new Client(url, "sk_live_wrong").getVideo("vid_long")),
    nowhere: await refused(new Client("http://127.0.0.1:9", key).submitLoop(pair)),
    webhook: [sent.status, event.type, forged],
  }),
)
