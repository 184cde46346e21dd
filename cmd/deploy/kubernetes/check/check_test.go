// Package check decodes the manifests beside it as a cluster would, strictly: a field that
// Kubernetes does not know fails. It applies nothing. `make test-manifests` runs it.
package check

import (
	"bytes"
	"os"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func TestManifests_areWhatKubernetesKnows(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	file, err := os.ReadFile("../tenon.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	var server *appsv1.Deployment
	var scaler *autoscalingv2.HorizontalPodAutoscaler
	for i, document := range bytes.Split(file, []byte("\n---\n")) {
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Errorf("document %d: %v", i+1, err)
			continue
		}
		kinds = append(kinds, kind.Kind)
		switch o := object.(type) {
		case *appsv1.Deployment:
			server = o
		case *autoscalingv2.HorizontalPodAutoscaler:
			scaler = o
		}
	}
	if want := []string{"ConfigMap", "Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"}; !slices.Equal(kinds, want) {
		t.Fatalf("decoded %v, want %v", kinds, want)
	}
	if several(server, scaler) && !shares(server) {
		t.Error("several replicas, and each keeps its responses for itself")
	}
	if server.Spec.Template.Spec.Containers[0].Env = nil; !several(server, scaler) || shares(server) {
		t.Error("replicas without a database are not found")
	}
}

// several tells whether more than one replica may run.
func several(server *appsv1.Deployment, scaler *autoscalingv2.HorizontalPodAutoscaler) bool {
	return scaler != nil && scaler.Spec.MaxReplicas > 1 || server.Spec.Replicas != nil && *server.Spec.Replicas > 1
}

// shares tells whether a server keeps its responses in a database, whose URL and password come
// from a Secret.
func shares(server *appsv1.Deployment) bool {
	secret := map[string]bool{}
	for _, e := range server.Spec.Template.Spec.Containers[0].Env {
		secret[e.Name] = e.Value == "" && e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil
	}
	return secret["TENON_RESPONSES_URL"] && secret["PGPASSWORD"]
}

// The check is one: what Kubernetes does not know is found.
func TestManifests_aTypoIsFound(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	typo := []byte("apiVersion: v1\nkind: Service\nmetadata: {name: tenon}\nspec: {sesionAffinity: ClientIP}\n")
	if _, _, err := decoder.Decode(typo, nil, nil); err == nil {
		t.Error("a field with a typo passes")
	}
}
