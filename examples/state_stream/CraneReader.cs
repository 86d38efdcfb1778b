// A running crane in Unity. Import scene.glb of the stream with glTFast, put this on its object, and play.
// Unity is left-handed and glTFast mirrors x: below the node "world" a point (x, y, z) of the stream is (-x, y, z).
using System;
using System.Collections.Generic;
using System.Net.WebSockets;
using System.Threading;
using UnityEngine;

[Serializable] public class Body { public string name; public float[] position, orientation; }
[Serializable] public class Rope { public string name; public float[] points; public float tension, speed; public bool slack; }
[Serializable] public class Touch { public string first, second; public bool begins; public float impact; }
[Serializable] public class Frame { public double time; public Body[] bodies; public Rope[] ropes; public Touch[] events; }

public class CraneReader : MonoBehaviour {
    public string stream = "ws://127.0.0.1:8090/";
    public Material ropeMaterial;
    readonly ClientWebSocket socket = new ClientWebSocket();
    readonly Dictionary<string, Transform> nodes = new Dictionary<string, Transform>();
    readonly Dictionary<string, LineRenderer> lines = new Dictionary<string, LineRenderer>();

    async void Start() {
        foreach (var node in GetComponentsInChildren<Transform>()) nodes[node.name] = node;
        await socket.ConnectAsync(new Uri(stream), CancellationToken.None);
        var (part, text) = (new ArraySegment<byte>(new byte[1 << 16]), new System.IO.MemoryStream());
        while (socket.State == WebSocketState.Open) {
            var got = await socket.ReceiveAsync(part, CancellationToken.None);
            text.Write(part.Array, 0, got.Count);
            if (!got.EndOfMessage) continue;
            if (text.Length > 0) Show(JsonUtility.FromJson<Frame>(System.Text.Encoding.UTF8.GetString(text.ToArray())));
            text.SetLength(0);
        }
    }

    void Show(Frame frame) {
        foreach (var body in frame.bodies) {
            if (!nodes.TryGetValue(body.name, out var node)) continue; // nothing of it is drawn
            var q = body.orientation; // w, x, y, z
            node.localPosition = Point(body.position, 0);
            node.localRotation = new Quaternion(q[1], -q[2], -q[3], q[0]);
        }
        foreach (var rope in frame.ropes) {
            if (!lines.TryGetValue(rope.name, out var line)) line = lines[rope.name] = AddLine(rope.name);
            line.positionCount = rope.points.Length / 3;
            for (int i = 0; i < line.positionCount; i++) line.SetPosition(i, Point(rope.points, 3 * i));
        }
        foreach (var touch in frame.events) // play a sound here
            if (touch.impact > 0.05f) Debug.Log($"{touch.first} hits {touch.second}, {touch.impact:F2} m/s");
    }

    static Vector3 Point(float[] p, int i) => new Vector3(-p[i], p[i + 1], p[i + 2]);

    LineRenderer AddLine(string name) {
        var line = new GameObject(name).AddComponent<LineRenderer>();
        line.transform.SetParent(nodes["world"], false);
        (line.useWorldSpace, line.material, line.widthMultiplier) = (false, ropeMaterial, 0.05f);
        return line;
    }

    void OnDestroy() => socket.Abort();
}
