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
	for i, document := range bytes.Split(file, []byte("\n---\n")) {
		_, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Errorf("document %d: %v", i+1, err)
			continue
		}
		kinds = append(kinds, kind.Kind)
	}
	if want := []string{"ConfigMap", "Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"}; !slices.Equal(kinds, want) {
		t.Errorf("decoded %v, want %v", kinds, want)
	}
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
